# mutate.awk - one file for each mutant of a C source, by the rules of rules.tsv.
#
#   awk -v out=FOLDER -f mutate.awk rules.tsv service.c
#
# Writes FOLDER/N.c and FOLDER/N.id. The id names the mutant by its words, not by its line number, so that it stays
# the same when lines move: "function: the line as it was => the line as it is". Prints how many it wrote.

BEGIN { FS = "\t"; in_comment = 0; function_name = "top" }

FNR == NR {
    if ($0 !~ /^#/ && NF == 2) {
        rules++
        from[rules] = $1
        to[rules] = ($2 == "-") ? "" : $2
    }
    next
}

{ line[++lines] = $0 }

# Where the code of a line ends: in front of a comment. in_comment is carried from line to line.
function code_length(text,    start) {
    if (in_comment) {
        if (text ~ /\*\//) in_comment = 0
        return 0
    }
    start = index(text, "/*")
    if (start == 0) return length(text)
    if (index(substr(text, start), "*/") == 0) in_comment = 1
    return start - 1
}

function is_word(c) { return c ~ /[A-Za-z0-9_]/ }
function is_operator(c) { return index("<>=!&|", c) > 0 && c != "" }

# True when the text at this place is a whole word or a whole operator, as its own ends demand.
function stands_alone(text, at, size,    first, last, before, after) {
    first = substr(text, at, 1)
    last = substr(text, at + size - 1, 1)
    before = at > 1 ? substr(text, at - 1, 1) : ""
    after = substr(text, at + size, 1)
    if (is_word(first) && (is_word(before) || (before == "-" && first ~ /[0-9]/))) return 0 # -1 is a number of its own
    if (is_word(last) && is_word(after)) return 0
    if (is_operator(first) && is_operator(before)) return 0
    if (is_operator(last) && is_operator(after)) return 0
    if (last == ">" && before == "-") return 0
    return 1
}

function trimmed(text) {
    sub(/^[ \t]+/, "", text)
    sub(/[ \t]+$/, "", text)
    return text
}

function write_mutant(number, changed,    file, i, id) {
    id = function_name ": " trimmed(line[number]) " => " trimmed(changed)
    if (changed == line[number]) return
    if (++seen[id] > 1) id = id " (" seen[id] ")" # the same line stands in the function twice
    file = out "/" (++written) ".c"
    for (i = 1; i <= lines; i++) print (i == number ? changed : line[i]) > file
    close(file)
    print id > (out "/" written ".id")
    close(out "/" written ".id")
}

function mutate_by_rule(number, rule, limit,    text, at, from_here, found) {
    text = line[number]
    from_here = 1
    while ((found = index(substr(text, from_here), from[rule])) > 0) {
        at = from_here + found - 1
        if (at + length(from[rule]) - 1 > limit) return
        if (stands_alone(text, at, length(from[rule])))
            write_mutant(number, substr(text, 1, at - 1) to[rule] substr(text, at + length(from[rule])))
        from_here = at + 1
    }
}

# A line that is one whole statement, and no declaration, is dropped.
function drop_statement(number, text) {
    if (text ~ /^ +[A-Za-z_*(].*;$/ && text !~ /^ +(const |static |sqlite3|cJSON \*|bool |int |enum )/ && text !~ /^ +return/ &&
        line[number - 1] !~ /[&|,(=]$/)
        write_mutant(number, substr(line[number], 1, match(line[number], /[^ ]/) - 1) ";")
}

END {
    for (number = 1; number <= lines; number++) {
        limit = code_length(line[number])
        if (line[number] ~ /^[a-z].*[( ]idem_[a-z_]+\(/ || line[number] ~ /^static .*\(/) {
            function_name = line[number]
            sub(/\(.*/, "", function_name)
            sub(/.*[ *]/, "", function_name)
        }
        if (limit == 0 || line[number] ~ /^#include/) continue
        for (rule = 1; rule <= rules; rule++) {
            if (from[rule] == "drop") drop_statement(number, trimmed_code(number, limit))
            else mutate_by_rule(number, rule, limit)
        }
    }
    print written
}

function trimmed_code(number, limit,    text) {
    text = substr(line[number], 1, limit)
    sub(/[ \t]+$/, "", text)
    return text
}
