// What wasi-libc does not declare since WASI knows no such thing; web.c defines it. The compiler is told to include it
// before each file.

#include <sys/stat.h>

mode_t umask(mode_t mask);
int fchmod(int file, mode_t mode);
uid_t geteuid(void);
gid_t getegid(void);
int mkstemp(char *path);
int flock(int file, int operation);
char *realpath(const char *restrict path, char *restrict end);
