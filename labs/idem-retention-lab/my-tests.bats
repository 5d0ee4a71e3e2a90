#!/usr/bin/env bats
# Tests of your own. Copy this file and write into the copy; it may lie here or in work/idem-retention-lab/:
#
#     cp labs/idem-retention-lab/my-tests.bats work/idem-retention-lab/
#
# A good test passes on every right service and fails on a broken one. This runs it on two right services of
# different design, then on a broken variant:
#
#     build/lab challenge 04-the-name-of-a-variant work/idem-retention-lab/my-tests.bats
#
# And this runs it on your own service:
#
#     make idem && bats work/idem-retention-lab/my-tests.bats
#
# The helpers are in labs/idem-retention-lab/my-tests-helpers.bash; the sessions on the pages of the lab
# show what each call prints.

load ../../labs/idem-retention-lab/my-tests-helpers

setup() {
    new_db
}

# A worked example. The title is the promise, in the present tense. Then: set up, call, and look at both the
# answer and the table, since a call may answer right and do something else.
@test "finish stores the response, and fetch gives it back before it expires" {
    assert_answers true reserve ord-7f a1 100
    assert_answers true finish ord-7f a1 '{"receipt":17}'
    assert_row ord-7f 'ord-7f|a1|done|{"receipt":17}|100.0'
    assert_answers '{"receipt":17}' fetch ord-7f 99.5
}

# Your turn. Which input would make the wrong change show?
