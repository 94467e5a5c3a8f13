// What a class has in common.

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/check/class/class.h"

// ---- Counting -----------------------------------------------------------------------------------

static int count_in(struct tally *tallies, int count, const char *what, const char *more) {
    int i = 0;
    while (i < count && strcmp(tallies[i].what, what) != 0) i++;
    if (i == count) tallies[count++] = (struct tally){what, more, 0};
    tallies[i].count++;
    return count;
}

static int compare_tallies(const void *a, const void *b) {
    const struct tally *first = a, *second = b;
    if (first->count != second->count) return second->count - first->count;
    return strcmp(first->what, second->what);
}

static void count_students(struct arena *arena, struct summary *summary,
                           const struct class *class) {
    static const char *const ranges[] = {"all", "75 ... 99 %", "50 ... 74 %", "1 ... 49 %", "none"};
    summary->verdicts = arena_array(arena, (size_t) class->count, sizeof *summary->verdicts);
    summary->codes = arena_array(arena, (size_t) class->count, sizeof *summary->codes);
    for (int i = 0; i < 5; i++) summary->shares[i].what = ranges[i];
    for (int i = 0; i < class->count; i++) {
        const struct student *student = &class->students[i];
        const double share = student->fraction;
        const int range = share >= 1 ? 0 : share >= 0.75 ? 1 : share >= 0.5 ? 2 : share > 0 ? 3 : 4;
        summary->verdict_count =
            count_in(summary->verdicts, summary->verdict_count, student->verdict, NULL);
        summary->shares[range].count++;
        summary->right += student->is_accepted;
        if (!student->is_accepted && strcmp(student->code, student->verdict) != 0)
            summary->code_count =
                count_in(summary->codes, summary->code_count, student->code, student->words);
    }
    qsort(summary->codes, (size_t)summary->code_count, sizeof *summary->codes, compare_tallies);
}

// ---- Remarks ------------------------------------------------------------------------------------

static void add_remark(struct arena *arena, struct summary *summary, const char *remark) {
    const size_t used = (size_t)summary->remark_count * sizeof *summary->remarks;
    summary->remarks = arena_grow(arena, summary->remarks, used, sizeof *summary->remarks);
    summary->remarks[summary->remark_count++] = remark;
}

static void remark_doubles(struct arena *arena, struct summary *summary,
                           const struct class *class) {
    for (int i = 0; i < class->count; i++) {
        const struct student *student = &class->students[i];
        for (int j = 0; j < i; j++) {
            const struct student *other = &class->students[j];
            const bool has_name = *student->name != '\0' && strcmp(student->name, other->name) == 0;
            const bool has_file = *student->file != '\0' && strcmp(student->file, other->file) == 0;
            if (!has_name && !has_file) continue;
            add_remark(arena, summary,
                       arena_format(arena, "lines %d and %d of the roster have the same %s: %s",
                                    other->line, student->line,
                                    has_name && has_file ? "name and file"
                                    : has_name           ? "name"
                                                         : "file",
                                    text_safe(arena, has_name ? student->name : student->file)));
            break;
        }
    }
}

static bool is_claimed(const struct class *class, const char *name) {
    const size_t length = strlen(name);
    for (int i = 0; i < class->count; i++) {
        const char *file = class->students[i].file;
        if (strncmp(file, "./", 2) == 0) file += 2;
        if (strncmp(file, name, length) == 0 && (file[length] == '\0' || file[length] == '#'))
            return true;
    }
    return false;
}

static bool is_same_file(const struct stat *status, const char *path) {
    struct stat other;
    return path != NULL && stat(path, &other) == 0 && other.st_dev == status->st_dev &&
           other.st_ino == status->st_ino;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void close_folder(void *folder) {
    closedir(folder);
}

// The files of the folder that no line names, without the roster itself and what is written.
static int unclaimed_files(struct arena *arena, const struct class *class, const char ***names) {
    const struct command *command = class->command;
    int count = 0;
    *names = NULL;
    DIR *folder = opendir(command->check.file);
    if (folder == NULL) return 0; // each student's line says so
    struct cleanup cleanup;
    cleanup_open(&cleanup, arena->failure, close_folder, folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        struct stat status;
        const char *path = arena_format(arena, "%s/%s", command->check.file, entry->d_name);
        if (entry->d_name[0] == '.' || is_claimed(class, entry->d_name)) continue;
        if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) continue;
        if (is_same_file(&status, command->check.roster) || is_same_file(&status, command->output))
            continue;
        *names = arena_grow(arena, *names, (size_t)count * sizeof **names, sizeof **names);
        (*names)[count++] = text_safe(arena, arena_copy(arena, entry->d_name));
    }
    cleanup_close(&cleanup);
    if (count > 0) qsort(*names, (size_t)count, sizeof **names, compare_names);
    return count;
}

static void remark_unclaimed(struct arena *arena, struct summary *summary,
                             const struct class *class) {
    enum { MOST_NAMED = 10 };
    const char **names;
    const int count = unclaimed_files(arena, class, &names);
    if (count == 0) return;
    const int named = count < MOST_NAMED ? count : MOST_NAMED;
    const char *list = words_joined(arena, names, named, named < count ? "," : "and");
    if (named < count) list = arena_format(arena, "%s and %d more", list, count - named);
    add_remark(arena, summary,
               arena_format(arena, "no line of the roster names %s: %s",
                            count == 1 ? "this file" : "these files", list));
}

struct summary summary_of(struct arena *arena, const struct class *class) {
    struct summary summary = {0};
    count_students(arena, &summary, class);
    remark_doubles(arena, &summary, class);
    remark_unclaimed(arena, &summary, class);
    return summary;
}

// ---- In lines of text ---------------------------------------------------------------------------

static void add_bar(struct text *text, int count, int whole) {
    enum { WIDTH = 30 };
    text_add_format(text, "%5d%s", count, count > 0 ? "  " : "");
    text_add_repeated(text, "#", count > 0 && count * WIDTH < whole ? 1 : count * WIDTH / whole);
    text_add(text, "\n");
}

void add_summary(struct text *text, const struct class *class) {
    enum { COLUMNS = 16, MORE_COLUMNS = 50 };
    struct arena *arena = text->arena;
    const struct summary summary = summary_of(arena, class);
    text_add_format(text, "%d student%s, %d right: ", class->count, class->count == 1 ? "" : "s",
                    summary.right);
    for (int i = 0; i < summary.verdict_count; i++)
        text_add_format(text, "%s%d %s", i > 0 ? ", " : "", summary.verdicts[i].count,
                        summary.verdicts[i].what);
    text_add(text, "\nhow much is right:\n");
    for (int i = 0; i < 5; i++) {
        text_add(text, "  ");
        text_add_padded(text, summary.shares[i].what, COLUMNS, false);
        add_bar(text, summary.shares[i].count, class->count);
    }
    if (summary.code_count > 0) text_add(text, "mistakes:\n");
    for (int i = 0; i < summary.code_count; i++) {
        const struct tally *code = &summary.codes[i];
        text_add_format(text, "%5d  %s", code->count, code->what);
        if (*code->more != '\0')
            text_add_format(text, ": %s", text_cut(arena, code->more, MORE_COLUMNS));
        text_add(text, "\n");
    }
    for (int i = 0; i < summary.remark_count; i++)
        text_add_format(text, "note: %s\n", summary.remarks[i]);
}
