#!/usr/bin/env bats
# The starter, the reference, and everything between them.

load helpers

@test "the starter compiles without a warning and fails every stage as todo" {
    run_check 1 "$STARTER"
    assert_result '.build.ok and .build.messages == ""'
    assert_result '[.stages[].stage] == ["01", "02", "03", "04", "05", "06", "07", "08"]'
    assert_result '.passed == 0 and all(.stages[].clauses[]; .verdict == "todo")'
}

@test "the starter fails each stage as todo when the stage is checked alone" {
    for stage in 01 02 03 04 05 06 07 08; do
        run_check 1 --stage "$stage" "$STARTER"
        assert_result "[.stages[].stage] == [\"$stage\"]"
        assert_stage "$stage" todo
    done
}

@test "the reference passes every clause when gcc compiles it" {
    LAB_CC=gcc run_check 0 "$REFERENCE"
    assert_result '.build.messages == "" and .passed == .planned'
}

@test "the reference passes every clause when clang compiles it" {
    require_command clang
    LAB_CC=clang run_check 0 "$REFERENCE"
    assert_result '.build.messages == "" and .passed == .planned'
}

@test "solutions of stages 1 to k with the starter after them pass 1 to k and fail k+1 as todo" {
    for k in 1 2 3 4 5 6 7; do
        new_partial_service "$k"
        run_check 1 "$SERVICE"
        for ((stage = 1; stage <= k; stage++)); do assert_stage "0$stage" pass; done
        assert_stage "0$((k + 1))" todo
    done
}

@test "the reference passes with another seed at every run" {
    for seed in 1 7 123456789012345; do
        run_check 0 --seed "$seed" "$REFERENCE"
        assert_result ".seed == $seed"
    done
}

# change_of_stage STAGE: the sed script of the worksheet's wrong change.
change_of_stage() {
    case $1 in
    01) printf 's/CREATE TABLE IF NOT EXISTS keys/CREATE TABLE keys/' ;;
    02) printf 's/INSERT INTO keys/INSERT OR REPLACE INTO keys/; s/ ON CONFLICT(id) DO NOTHING//' ;;
    03) printf "s/ AND status='pending'\"/ AND status IN ('pending','done')\"/" ;;
    04) printf 's/AND expires>?"/AND expires>=?"/' ;;
    05) printf '/^enum idem_status idem_expired/,/^}/s/ORDER BY id /ORDER BY id DESC /' ;;
    06) printf "/ purge_in_transaction/,/^}/s/status='done' AND //" ;;
    07) printf 's/"pending", sqlite3_column_double(stmt, 0)/"pending", 0/' ;;
    08) printf 's/idem_purge(path, 10,/idem_purge(path, 9,/' ;;
    esac
}

@test "each wrong change of the worksheet fails a clause of its own stage and no earlier stage" {
    for stage in 01 02 03 04 05 06 07 08; do
        new_changed_reference "$(change_of_stage "$stage")"
        run_check 1 "$SERVICE"
        assert_result ".build.ok and any(.stages[] | select(.stage == \"$stage\") | .clauses[]; .verdict == \"fail\")"
        assert_result "all(.stages[] | select(.stage < \"$stage\") | .clauses[]; .verdict == \"pass\")"
    done
}

@test "each wrong change keeps the happy path of its stage where the contract lets it" {
    for stage in 01 02 03 04 06; do
        new_changed_reference "$(change_of_stage "$stage")"
        run_check 0 --clause "${stage#0}.1" "$SERVICE"
    done
}
