# `make` alone lists the targets. Everything built goes to build/, everything a learner writes to work/.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Recipes use nothing beyond POSIX sh.
SHELL := /bin/sh
# As many jobs as there are processors, unless the command line says otherwise.
MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
MAKEFLAGS += --no-builtin-rules

# Every folder with a call table is a lab, and build/lab knows them all; LAB is the one that learners work on.
labs := $(patsubst checks/%/calls.c,%,$(wildcard checks/*/calls.c))
LAB := idem-retention-lab
STAGE ?=

# --- What is built from what -------------------------------------------------------------------------------

WERROR ?= -Werror
warnings := -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wformat=2 -Wstrict-prototypes -Wmissing-prototypes \
    -Wwrite-strings -Wpointer-arith -Wundef
# `=` with nothing behind it: then a file may also say `#define _GNU_SOURCE` itself.
kit_flags := -std=c17 -D_GNU_SOURCE= -Ichecks -Ilabs/$(LAB)
# What learners read and write is compiled with POSIX alone in sight.
lab_flags := -std=c17 -D_POSIX_C_SOURCE=200809L -Ichecks
# As the checks compile a learner's file, but for the sanitizers.
learner_flags := -std=gnu17 -g -Wall -Wextra
optimize := -O1 -g
libraries := -lsqlite3 -lcjson -lmd -lm

calls := $(labs:%=checks/%/calls.c)
lab_sources := $(filter-out $(calls),$(wildcard $(labs:%=checks/%/*.c)))
confined := checks/grader/confined.c
kit_sources := $(wildcard checks/base/*.c checks/judge/*.c checks/variants/*.c) \
    $(filter-out $(confined),$(wildcard checks/grader/*.c)) \
    checks/lab.c checks/labs.c
subject_sources := $(wildcard checks/subject/*.c) checks/base/json.c checks/base/utf8.c
idem_sources := labs/$(LAB)/idem.c checks/base/json.c checks/base/utf8.c checks/$(LAB)/calls.c

kit_objects := $(kit_sources:%.c=build/kit/%.o)
lab_objects := $(lab_sources:%.c=build/kit/%.o)
subject_objects := $(subject_sources:%.c=build/subject/%.o)
calls_objects := $(calls:%.c=build/subject/%.o)
idem_objects := $(idem_sources:%.c=build/idem/%.o)
objects := $(kit_objects) $(lab_objects) $(subject_objects) $(calls_objects) $(idem_objects)

# step NAME: a line that says what is being made; nothing under `make -s`.
step = @$(if $(findstring s,$(firstword -$(MAKEFLAGS))),:,printf '  %-8s%s\n' '$1' '$@')

build/lab: $(kit_objects) $(labs:%=build/kit/%.o)
	$(call step,link)
	@$(CC) $(LDFLAGS) -o $@ $^ $(libraries)

# Of each lab only its table shows, the struct lab NAME_lab, so that two labs may use the same words.
$(foreach lab,$(labs),$(eval build/kit/$(lab).o: $(filter build/kit/checks/$(lab)/%,$(lab_objects))))
$(labs:%=build/kit/%.o):
	$(call step,link)
	@$(CC) -r -nostdlib -o $@ $^
	@objcopy --wildcard --keep-global-symbol='*_lab' $@

sanitizer_hooks := __asan_default_options __ubsan_default_options __sanitizer_symbolize_code __sanitizer_symbolize_data

# What is linked beside a learner's file shows main and what the sanitizers ask for, so that no other name can
# clash with one that a learner picks. The subject is linked for every check: what only a debugger reads would cost each a
# quarter of its linking.
$(labs:%=build/%/subject.o): build/%/subject.o: build/subject/checks/%/calls.o $(subject_objects)
build/$(LAB)/idem.o: $(idem_objects)
$(labs:%=build/%/subject.o) build/$(LAB)/idem.o:
	$(call step,link)
	@mkdir -p $(@D)
	@$(CC) -r -nostdlib -o $@ $^
	@objcopy $(if $(filter %/subject.o,$@),--strip-debug) \
	    --keep-global-symbol=main $(foreach name,$(sanitizer_hooks),--keep-global-symbol=$(name)) $@

# Runs inside the sandbox, where no library of the kit's is in sight.
build/confined: $(confined) Makefile
	$(call step,link)
	@mkdir -p $(@D)
	@$(CC) $(kit_flags) $(warnings) $(WERROR) $(optimize) $(CFLAGS) -static -o $@ $< -lseccomp

work/$(LAB)/idem: work/$(LAB)/service.c build/$(LAB)/idem.o labs/$(LAB)/service.h
	$(call step,link)
	@mkdir -p $(@D)
	@$(CC) $(learner_flags) -Ilabs/$(LAB) -o $@ $< build/$(LAB)/idem.o $(libraries)

# calls.c and the labs' own sources are learner-facing, the rest is the kit's.
flags_for = $(if $(filter labs/% solutions/% fixtures/% %/calls.c,$1),$(lab_flags) -Ilabs/$(word 2,$(subst /, ,$1)),$(kit_flags)) $(warnings)
compile = $(CC) $(call flags_for,$<) $(WERROR) $(optimize) $(CFLAGS) -MMD -MP -c -o $@ $<

build/kit/%.o: %.c Makefile
	$(call step,cc)
	@mkdir -p $(@D)
	@$(compile)

build/subject/%.o: %.c Makefile
	$(call step,cc)
	@mkdir -p $(@D)
	@$(compile)

build/idem/%.o: %.c Makefile
	$(call step,cc)
	@mkdir -p $(@D)
	@$(compile)

-include $(objects:%.o=%.d)

# The targets that promise to work from a fresh clone install what is missing before anything is compiled.
ifneq ($(filter demo test grade bench,$(MAKECMDGOALS)),)
$(objects) build/confined: | deps
endif

# The messages in other languages; checks/po/lab.pot lists what there is to translate.
catalogs := $(patsubst checks/po/%.po,build/locale/%/LC_MESSAGES/lab.mo,$(wildcard checks/po/*.po))
build/locale/%/LC_MESSAGES/lab.mo: checks/po/%.po
	$(call step,msgfmt)
	@mkdir -p $(@D)
	@msgfmt --check -o $@ $<

# Nobody needs them to begin: without msgfmt the kit speaks English.
texts := $(if $(shell command -v msgfmt),$(catalogs))

built := build/lab build/confined $(labs:%=build/%/subject.o) build/$(LAB)/idem.o $(catalogs)

# --- For everybody -----------------------------------------------------------------------------------------

.PHONY: help demo test deps clean
help: ## List the targets
	@printf 'make TARGET\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{ printf "  %-9s %s\n", $$1, $$2 }' Makefile

demo: deps $(built) ## Install what is missing, build, and show what the kit does
	@sh checks/demo.sh

test: deps deps-test $(built) ## Install what is missing, build, and run the kit's own tests
	@sh checks/tests/run.sh

deps: ## Install what a learner or an instructor needs and this machine lacks
	@sh checks/deps.sh build

clean: ## Remove everything that was built; your work stays
	rm -rf build

# --- For learners ------------------------------------------------------------------------------------------

.PHONY: start reset check idem
start: $(texts) ## Put the starter at work/idem-retention-lab/service.c; never overwrites
	@sh checks/start.sh $(LAB)

reset: $(texts) ## Start again; what is there is kept as a dated copy first
	@sh checks/start.sh --reset $(LAB)

# STAGE is 04 or 4.
checking := build/lab build/$(LAB)/subject.o $(texts)
check: work/$(LAB)/service.c $(checking) ## Check your service up to the first stage that does not hold; STAGE=NN: that one
ifeq ($(STAGE),)
	@build/lab check --stop-at stage $<
else
	@build/lab check --stage '$(STAGE)' --earlier $<
endif

.PHONY: ready
ready: $(checking)

idem: work/$(LAB)/idem ## Link your service as a program to try by hand: work/idem-retention-lab/idem

.PHONY: watch hint status debug valgrind
watch: work/$(LAB)/service.c $(checking) ## Check again at each save; STAGE=NN only that stage; Ctrl-C ends
	@sh checks/watch.sh '$(STAGE)'

# AGAIN=yes shows those that were shown before.
hint: ## The next hint of a stage, three in all: STAGE=NN
	@sh checks/hint.sh $(if $(AGAIN),--again) '$(STAGE)'

status: work/$(LAB)/service.c $(checking) build/$(LAB)/idem.o ## How far you are: stages, predictions, tests of your own
	@sh checks/status.sh

debug: work/$(LAB)/idem $(checking) ## gdb at the call that breaks a clause: CLAUSE=4.2, SEED=N
	@sh checks/debug.sh '$(CLAUSE)' '$(SEED)'

valgrind: work/$(LAB)/idem ## Run the examples of a stage's page under valgrind: STAGE=NN
	@sh checks/valgrind.sh '$(STAGE)'

# VARIANT is one name or several; FAILS is a prediction, as 4.2,4.8 or none.
.PHONY: variants predict picture
variants: $(built) ## Run broken variants, all of them or VARIANT=NAME: which clauses catch which
	@build/lab variants $(VARIANT)

predict: $(built) ## Say what a broken variant will fail, then see: VARIANT=NAME, or the next of the worksheet
	@build/lab predict $(if $(VARIANT),$(VARIANT),--next) $(if $(FAILS),--fails $(FAILS))

picture: $(built) ## Write build/variants.html, the picture of which clauses catch which variant
	@test -e build/node_modules/.installed || sh checks/variants/install-viewer.sh
	@build/lab variants --html build/variants.html $(VARIANT)

work/$(LAB)/service.c:
	@. checks/language.sh; give_up 2 'There is no %s yet: `make start` puts the starter there.' $@

# --- For instructors ---------------------------------------------------------------------------------------

# CLASS is the folder with the submissions, OUT the one that gradebook and reports go to, OPTIONS what
# `build/lab grade --help` lists.
.PHONY: grade
grade: deps $(built) ## Grade a folder of submissions: CLASS=FOLDER OUT=FOLDER [OPTIONS='--jobs 2']
	@build/lab grade $(if $(CLASS),'$(subst ','\'',$(CLASS))') $(if $(OUT),--out '$(subst ','\'',$(OUT))') $(OPTIONS)

# --- For those who work on the kit -------------------------------------------------------------------------

.PHONY: bench sweep lint po format deps-test deps-lint
bench: $(built) ## Measure the checks as ratios of the compiler alone
	@sh checks/bench.sh

deps-test:
	@sh checks/deps.sh build test

deps-lint:
	@sh checks/deps.sh build lint

# Samples of submissions are as odd as they have to be; everything else is held to the same rules.
c_sources := $(wildcard checks/*.c checks/*/*.c labs/*/*.c solutions/*/*.c fixtures/*/service.c)
c_headers := $(wildcard checks/*.h checks/*/*.h labs/*/*.h)
scripts := .ci/run $(wildcard checks/*.sh checks/*/*.sh checks/*/*.bash checks/*/*.bats labs/*/*.sh labs/*/*.bash labs/*/*.bats)

# Each finding of lint is a file in build/lint that is only there once its source is clean, so that the next
# run looks at what has changed.
lint_files := build/lint/format build/lint/cppcheck build/lint/shellcheck \
    $(c_sources:%.c=build/lint/gcc/%.o) $(c_sources:%.c=build/lint/clang/%.o) $(c_sources:%.c=build/lint/tidy/%)

lint: $(lint_files) ## Ask clang-format, gcc, clang, clang-tidy, cppcheck and shellcheck
	@printf 'lint: clean (%s C files, %s scripts)\n' '$(words $(c_sources) $(c_headers))' '$(words $(scripts))'

$(lint_files): | deps-lint

build/lint/format: $(c_sources) $(c_headers) .clang-format
	$(call step,format)
	@mkdir -p $(@D)
	@clang-format --dry-run --Werror $(c_sources) $(c_headers)
	@touch $@

build/lint/gcc/%.o: %.c Makefile
	$(call step,gcc)
	@mkdir -p $(@D)
	@gcc $(call flags_for,$<) -Werror -O2 -MMD -MP -c -o $@ $<

build/lint/clang/%.o: %.c Makefile
	$(call step,clang)
	@mkdir -p $(@D)
	@clang $(call flags_for,$<) -Werror -O1 -MMD -MP -c -o $@ $<

build/lint/tidy/%: %.c $(c_headers) .clang-tidy
	$(call step,tidy)
	@mkdir -p $(@D)
	@# Its count of warnings in system headers is no finding; shown only when there is one.
	@clang-tidy --quiet $< -- $(call flags_for,$<) 2>$@.said || { cat $@.said; exit 1; }
	@touch $@

build/lint/cppcheck: $(c_sources) $(c_headers) checks/cppcheck.cfg
	$(call step,cppcheck)
	@mkdir -p $(@D)/cppcheck-state
	@cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
	    --suppress=missingIncludeSystem --library=checks/cppcheck.cfg \
	    --cppcheck-build-dir=$(@D)/cppcheck-state -Ichecks -Ilabs/$(LAB) $(c_sources)
	@touch $@

build/lint/shellcheck: $(scripts)
	$(call step,check)
	@mkdir -p $(@D)
	@shellcheck $(scripts)
	@touch $@

-include $(patsubst %.c,build/lint/gcc/%.d,$(c_sources)) $(patsubst %.c,build/lint/clang/%.d,$(c_sources))

sweep: $(built) ## Mutate the reference mechanically, and list what no clause catches
	@sh checks/sweep/sweep.sh

po: build/lab ## Collect the texts for people, and bring the translations up to date with them
	@sh checks/po/extract.sh

format: deps-lint ## Lay out the C sources as lint wants them
	@clang-format -i $(c_sources) $(c_headers)
