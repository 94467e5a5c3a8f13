#include "app/check/patience.h"

#include "app/check/progress.h"
#include "tensor/operation/operation.h"

struct patience start_search(bool is_thorough) {
    enum { THOROUGH = 10 };
    return start_search_for(is_thorough ? THOROUGH * SEARCH_WORK : SEARCH_WORK,
                            progress_terminal());
}

struct patience start_search_for(int64_t work, FILE *terminal) {
    return (struct patience){
        .until = work_performed() + work, .told = progress_time(), .terminal = terminal};
}

bool has_time(struct patience *patience, const char *what, int i, int count) {
    if (work_performed() >= patience->until) patience->is_over = true;
    if (patience->is_over) return false;
    tell_progress(patience->terminal, &patience->told, what, i, count);
    return true;
}

void end_search(const struct patience *patience) {
    take_progress_back(patience->terminal);
}
