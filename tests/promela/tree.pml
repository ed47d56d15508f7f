/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One execution of a loop on the work-stealing tree, as include/wstree/core/tree has it, under sequential consistency.
 * What a step of the model stands for in the code is said at each inline. README.md says what is left out, and why that
 * is allowed.
 *
 *   WORKERS     members of the team                     ROOTS      roots of the tree (WORKERS, or 1)
 *   ITERATIONS  of the loop; the last one is apart      BATCH      most units in a batch; which size is chosen freely
 *   BOTH_ENDS   batches from both ends of a node        ANY_SHARE  a thief leaves any part of the rest, not just half
 *   WALK        a search looks at one node after the other, not at all of them at once
 *   SUSPEND     one worker is suspended for ever, anywhere, or none is
 *   NO_MEMORY   any request of memory for a pair of nodes may fail
 *   NO_EARLY_LAST  no worker starts the last iteration while it has something else to do
 *   MUTANT_...  breaks one step, see README.md
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef ROOTS
#define ROOTS WORKERS
#endif
#ifndef ITERATIONS
#define ITERATIONS 3
#endif
#ifndef BATCH
#define BATCH 1
#endif
#define UNITS (ITERATIONS - 1)
/* A worker that splits a node has been preceded by one that took a unit of it, and no unit is taken twice: the pair below
 * a node is named after the first unit that was taken of the node. */
#define NODES (ROOTS + 2 * UNITS)
#define NONE 255

#define AVAILABLE 0
#define OWNED 1
#define STOLEN 2

/* Node: word_ is phase, left, right. */
byte phase[NODES];
byte left[NODES];
byte right[NODES];
byte begin[NODES];
byte size[NODES];
byte children[NODES]; /* the left one of the pair; 0, which is a root: none */
#ifdef BOTH_ENDS
bit first_from_right[NODES];
#define FIRST_UNIT(n) (first_from_right[n] -> begin[n] + size[n] - 1 : begin[n])
#else
#define FIRST_UNIT(n) (begin[n])
#endif

bit last_taken; /* LastTaken::loop_ is the present loop */

/* What the properties speak about. */
bit handed[ITERATIONS]; /* to a worker, to be executed */
byte ended;             /* workers that were told that there is nothing more */

#define REMAINING(n) (size[n] - left[n] - right[n])
#define IS_LEAF(n) ((n < ROOTS || size[n] > 0) && (phase[n] != STOLEN || children[n] == 0))
#ifdef MUTANT_SKIP_ONE
#define HAS_WORK(n) (IS_LEAF(n) && REMAINING(n) > (phase[n] == OWNED -> 1 : 0))
#elif defined(MUTANT_NO_HELP)
#define HAS_WORK(n) (IS_LEAF(n) && REMAINING(n) > 0 && phase[n] != STOLEN)
#else
#define HAS_WORK(n) (IS_LEAF(n) && REMAINING(n) > 0)
#endif

#ifdef NO_MEMORY
#define MAY_CLAIM(n) (HAS_WORK(n) && (!starved || phase[n] != OWNED))
#else
#define MAY_CLAIM(n) HAS_WORK(n)
#endif

#ifdef SUSPEND
byte suspended = NONE; /* _pid of the worker that runs no more */
#define MAY_RUN provided (suspended != _pid)
#else
#define MAY_RUN
#endif

/* Worker::give(): units [from, from + count) go to the caller. */
inline give(from, count) {
  assert(!had_last); /* a worker that had the last iteration gets no more */
  u = from;
  do
  :: u < from + count ->
    assert(u < UNITS);
    assert(handed[u] == 0); /* exactly once */
    handed[u] = 1;
    u++
  :: else -> break
  od;
  u = 0
}

/* After every change: a unit is handed out if and only if no leaf has it left. Together with INV6 below this is what
 * INV1 to INV6 are for. */
inline check_partition() {
  u = 0;
  do
  :: u < NODES ->
    assert(left[u] + right[u] <= size[u]);                /* INV4 */
    assert(phase[u] != AVAILABLE || left[u] + right[u] == 0); /* INV1, INV2 */
    assert(children[u] == 0 || phase[u] == STOLEN);       /* INV6 */
    if
    :: IS_LEAF(u) ->
      v = begin[u];
      do
      :: v < begin[u] + size[u] ->
        assert(handed[v] == (v < begin[u] + left[u] || v >= begin[u] + size[u] - right[u]));
        v++
      :: else -> break
      od
    :: else
    fi;
    u++
  :: else -> break
  od;
  u = 0;
  v = 0
}

/* Batcher::size(): any number that a batch may have. */
inline choose_units(remaining) {
  units = 1;
  do
  :: units < BATCH && units < remaining -> units++
  :: break
  od
}
/* rng_.coin() of the batch mode `random`. */
inline choose_end() {
#ifdef BOTH_ENDS
  if
  :: from_right = 0
  :: from_right = 1
  fi
#else
  skip
#endif
}

/* What follows a successful own(): hold() and give(). */
inline hold_first(n) {
  d_step {
    assert(phase[n] == AVAILABLE);
    phase[n] = OWNED;
    node = n;
    my_left = 0;
    my_right = 0;
#ifndef MUTANT_NO_FIRST_BATCH
#ifdef BOTH_ENDS
    first_from_right[n] = from_right;
    if
    :: from_right -> my_right = units; give(begin[n] + size[n] - units, units)
    :: else -> my_left = units; give(begin[n], units)
    fi;
#else
    my_left = units;
    give(begin[n], units);
#endif
#endif
    left[n] = my_left;
    right[n] = my_right;
    units = 0;
    from_right = 0;
    check_partition()
  }
}

/* Worker::own() = Node::own(): the compare-and-swap, and nothing if another worker was faster. */
inline own(n) {
  if
  :: size[n] > 0 && phase[n] == AVAILABLE ->
#ifdef MUTANT_OWN_STORE
    owning = n; /* the store follows in a step of its own */
#else
    choose_units(size[n]);
    choose_end();
    hold_first(n)
#endif
  :: else
  fi
}

/* Node::prepare() of both halves of the rest of `target`, and Node::adopt(), which succeeds: no worker sees the pair
 * before that. `mine` is the one that the caller owns, or NONE. */
inline publish(target_node) {
  d_step {
    pair = ROOTS + 2 * FIRST_UNIT(target_node);
    u = begin[target_node] + left[target_node]; /* first unit of the rest */
    v = REMAINING(target_node);
    assert(phase[target_node] == STOLEN && v > 0 && half <= v); /* INV5, INV6 */
    begin[pair] = u;
    size[pair] = half;
    begin[pair + 1] = u + half;
    size[pair + 1] = v - half;
    phase[pair] = AVAILABLE;
    phase[pair + 1] = AVAILABLE;
    left[pair] = 0;
    right[pair] = 0;
    left[pair + 1] = 0;
    right[pair + 1] = 0;
    children[pair] = 0;
    children[pair + 1] = 0;
    /* With the mutant that takes no unit a node can be split without end. Its child then takes its place, as if a garbage
     * collector had run. */
    if
    :: target_node != pair && target_node != pair + 1 -> children[target_node] = pair
    :: else
    fi;
    half = 0;
    u = 0;
    v = 0
  }
}

/* Worker::publish() after Node::adopt() succeeded: the caller's half is born OWNED with its first batch taken. */
inline publish_and_hold(target_node) {
  v = REMAINING(target_node);
#ifdef ANY_SHARE
  theirs = 0;
  do
  :: theirs < v - 1 -> theirs++
  :: break
  od;
#else
  theirs = v / 2;
#endif
  if /* Search::chooses_left(): any strategy */
  :: mine = 0; half = v - theirs
  :: mine = 1; half = theirs
  fi;
  choose_units(v - theirs);
  choose_end();
  v = 0;
  theirs = 0;
  publish(target_node);
  mine = mine + pair;
  pair = 0;
  hold_first(mine);
  mine = 0;
}

/* LastTaken::claim(). */
inline take_last() {
  d_step {
    last_taken = 1;
    assert(handed[UNITS] == 0); /* the last iteration exactly once, too */
    handed[UNITS] = 1;
#ifndef MUTANT_GO_ON_AFTER_LAST
    retired = 1;
#endif
    had_last = 1
  }
}

#define CANDIDATE(n) MAY_CLAIM(n) -> target = n

/* Worker::find(), the search: any leaf with units left, as every strategy has to find one. */
inline choose_target() {
  if
  :: CANDIDATE(0)
#if NODES > 1
  :: CANDIDATE(1)
#endif
#if NODES > 2
  :: CANDIDATE(2)
#endif
#if NODES > 3
  :: CANDIDATE(3)
#endif
#if NODES > 4
  :: CANDIDATE(4)
#endif
#if NODES > 5
  :: CANDIDATE(5)
#endif
#if NODES > 6
  :: CANDIDATE(6)
#endif
#if NODES > 7
  :: CANDIDATE(7)
#endif
#if NODES > 8
  :: CANDIDATE(8)
#endif
#if NODES > 9
  :: CANDIDATE(9)
#endif
#if NODES > 10
  :: CANDIDATE(10)
#endif
#if NODES > 11
  :: CANDIDATE(11)
#endif
#if NODES > 12
  :: CANDIDATE(12)
#endif
#if NODES > 13
  :: CANDIDATE(13)
#endif
  :: else
  fi
}

/* The leaf that has unit `at`: from its root down along the links, which never change again, and so may be read together
 * with the leaf. */
inline leaf_of(at) {
  d_step {
    found = 0;
    do
    :: at >= begin[found] + size[found] -> found++
    :: else -> break
    od;
    do
    :: phase[found] == STOLEN && children[found] != 0 ->
      found = children[found];
      if
      :: at >= begin[found + 1] -> found++
      :: else
      fi
    :: else -> break
    od
  }
}

/* Worker::claim(), up to the point where a frozen node has to be split. Sets node, or frozen, or neither: a lost race. */
inline claim() {
  if
  :: seen_phase == AVAILABLE -> own(target)
  :: seen_phase == STOLEN -> frozen = target
  :: seen_phase == OWNED ->
    /* Worker::steal(), Node::stop() */
    if
    :: phase[target] == OWNED && left[target] == seen_left && right[target] == seen_right ->
      assert(REMAINING(target) > 0); /* INV5 */
#ifdef MUTANT_STOP_STORE
      stopping = target;
      stopped_left = seen_left;
#else
#ifdef NO_MEMORY
      if
      :: starved = 1 /* the pair is taken before the stop */
      :: has_pair = 1; phase[target] = STOLEN; frozen = target
      fi
#else
      phase[target] = STOLEN;
      frozen = target;
#endif
#endif
    :: else
    fi
  fi;
  target = NONE;
  seen_phase = 0;
  seen_left = 0;
  seen_right = 0
}

/* v = units that a leaf has left. */
inline count_left() {
  d_step {
    u = 0;
    v = 0;
    do
    :: u < NODES ->
      if
      :: IS_LEAF(u) -> v = v + REMAINING(u)
      :: else
      fi;
      u++
    :: else -> break
    od;
    u = 0
  }
}

/* What a worker knows when it is told that there is nothing more: every iteration is in a worker's hands. */
inline check_all_handed() {
  d_step {
    u = 0;
    do
    :: u < ITERATIONS ->
      assert(handed[u] == 1);
      u++
    :: else -> break
    od;
    u = 0
  }
}

proctype worker(byte me) MAY_RUN {
  byte node = NONE;             /* node_ */
  byte my_left, my_right;       /* raw_ */
  byte target = NONE, seen_phase, seen_left, seen_right;
  byte frozen = NONE;           /* a STOLEN node whose children this worker looks for, or makes */
  bit arrived, retired, had_last;
  byte units, half, theirs, mine, pair, position, u, v;
  bit from_right;
  bit may_append;
#ifndef MUTANT_LAST_FIRST
  bit leaving;
#endif
#ifdef NO_MEMORY
  bit starved, has_pair, again;
#endif
#ifdef MUTANT_OWN_STORE
  byte owning = NONE;
#endif
#ifdef MUTANT_STOP_STORE
  byte stopping = NONE, stopped_left;
#endif
#ifdef MUTANT_ADOPT_STORE
  bit splitting;
#endif
#ifdef WALK
  byte found;
#endif

search:
  do
  :: retired -> break

  /* Worker::go_on(): the own node is used up. */
  :: atomic { !retired && !may_append && node != NONE && my_left + my_right == size[node] -> node = NONE; my_left = 0; my_right = 0 }

  /* Worker::go_on(): the next batch. */
  :: atomic { !retired && node != NONE && my_left + my_right < size[node] ->
      if
#ifndef MUTANT_ADVANCE_STORE
      :: phase[node] == STOLEN -> /* Worker::descend() */
        frozen = node; node = NONE; my_left = 0; my_right = 0
#endif
#ifdef MUTANT_ADVANCE_STORE
      :: true ->
#else
      :: phase[node] == OWNED ->
        assert(left[node] == my_left && right[node] == my_right); /* INV3 */
#endif
        choose_units(size[node] - my_left - my_right);
        choose_end();
        d_step { /* Node::advance() */
          phase[node] = OWNED;
          if
#ifdef BOTH_ENDS
          :: from_right -> my_right = my_right + units; give(begin[node] + size[node] - my_right, units)
#endif
          :: !from_right -> my_left = my_left + units; give(begin[node] + my_left - units, units)
          fi;
          left[node] = my_left;
          right[node] = my_right;
          units = 0;
          from_right = 0;
          check_partition()
        }
        /* Worker::append_last(): joined to the last batch, if nothing else is left. */
        if
        :: my_left + my_right == size[node] && begin[node] + size[node] == UNITS && last_taken == 0 -> may_append = 1
        :: true
        fi
      fi }
  :: atomic { may_append -> /* Worker::nothing_else(), claim_last() */
      may_append = 0;
      count_left();
      if
      :: v == 0 && last_taken == 0 -> v = 0; take_last()
      :: else -> v = 0
      fi }

#ifndef NO_EARLY_LAST
  /* Worker::leave_for_last(): the last iteration instead of the next batch; the rest of the node becomes free. */
#ifndef MUTANT_LAST_FIRST
  :: atomic { !retired && node != NONE && my_left + my_right < size[node] && last_taken == 0 && phase[node] == OWNED ->
      phase[node] = STOLEN; frozen = node; node = NONE; my_left = 0; my_right = 0; leaving = 1 }
#else
  :: atomic { !retired && node != NONE && my_left + my_right < size[node] && last_taken == 0 -> take_last() }
#ifndef MUTANT_KEEP_NODE
    atomic {
      if
      :: phase[node] == OWNED -> phase[node] = STOLEN; frozen = node
      :: else /* a thief was faster */
      fi;
      node = NONE; my_left = 0; my_right = 0
    }
#endif
#endif
    atomic {
      if
      :: frozen != NONE && children[frozen] == 0 ->
        half = REMAINING(frozen) / 2; publish(frozen); pair = 0;
        d_step { check_partition() }
      :: else
      fi;
#ifdef MUTANT_LAST_FIRST
      frozen = NONE
#endif
    }
#ifndef MUTANT_LAST_FIRST
    atomic {
      leaving = 0;
      if
      :: last_taken == 0 -> take_last(); frozen = NONE
      :: else /* adopt_theirs() */
      fi
    }
#endif
#endif

  /* Worker::arrive(). */
  :: atomic { !retired && node == NONE && !arrived && frozen == NONE ->
      arrived = 1;
      if
      :: me < ROOTS -> own(me)
      :: else
      fi }

#ifdef MUTANT_OWN_STORE
  :: atomic { owning != NONE -> u = owning; owning = NONE; phase[u] = AVAILABLE; left[u] = 0; right[u] = 0;
      choose_units(size[u]); mine = u; u = 0; hold_first(mine); mine = 0 }
#endif
#ifdef MUTANT_STOP_STORE
  :: atomic { stopping != NONE -> phase[stopping] = STOLEN; left[stopping] = stopped_left; stopped_left = 0;
      frozen = stopping; stopping = NONE }
#endif

  /* Worker::find(): what the search returns was true when it looked. */
#ifndef WALK
  :: atomic { !retired && node == NONE && arrived && frozen == NONE && target == NONE && !may_append ->
      choose_target();
      if
      :: target != NONE ->
#if defined(NO_MEMORY) && !defined(MUTANT_LAST_FIRST)
        again = 0;
#endif
        seen_phase = phase[target];
        seen_left = left[target];
        seen_right = right[target]
      :: else -> goto nothing_found
      fi }
#else
  /* View::any_leaf() with an interruption after each node. Whether a node is good enough, and better than the one before,
   * is left open: a worker that has seen nodes claims any one of them. */
  :: atomic { !retired && node == NONE && arrived && frozen == NONE && position < UNITS && !may_append ->
      leaf_of(position);
      if
      :: MAY_CLAIM(found) ->
        target = found;
        seen_phase = phase[found];
        seen_left = left[found];
        seen_right = right[found]
      :: target != NONE || !MAY_CLAIM(found)
      fi;
      position = begin[found] + size[found];
      found = 0 }
  :: atomic { !retired && node == NONE && arrived && frozen == NONE && position == UNITS && target == NONE && !may_append ->
      position = 0;
      goto nothing_found }
#endif
  :: atomic { target != NONE && frozen == NONE && !retired -> position = 0; claim() }
#ifndef NO_EARLY_LAST
  :: atomic { target != NONE && frozen == NONE && !retired && last_taken == 0 -> /* should_start_last() */
      target = NONE; seen_phase = 0; seen_left = 0; seen_right = 0; position = 0;
      take_last() }
#endif

  /* Worker::expand(), and Worker::publish() of a thief: a worker that meets a frozen node splits it, or takes a
   * half that another worker has left. */
#ifdef MUTANT_ADOPT_STORE
  :: atomic { frozen != NONE && !retired && children[frozen] == 0 && !splitting -> splitting = 1 }
  :: atomic { frozen != NONE && !retired && splitting -> splitting = 0; publish_and_hold(frozen); frozen = NONE }
#else
  :: atomic { frozen != NONE && !retired && children[frozen] == 0 -> publish_and_hold(frozen); frozen = NONE;
#ifdef NO_MEMORY
      has_pair = 0
#endif
      }
#ifdef NO_MEMORY
  :: frozen != NONE && !retired && children[frozen] == 0 && !has_pair -> skip /* P::yield() */
#endif
#endif
  :: atomic { frozen != NONE && !retired && children[frozen] != 0 -> /* Worker::adopt_theirs() */
      mine = children[frozen];
      frozen = NONE;
#ifdef NO_MEMORY
      has_pair = 0;
#endif
      if
      :: pair = mine + 1
      :: pair = mine; mine = mine + 1
      fi;
      own(mine);
      if
      :: node != NONE -> mine = 0; pair = 0; goto adopted
      :: else
      fi }
    atomic { own(pair); mine = 0; pair = 0 }
adopted:
    skip
  od;
  goto end_of_loop;

nothing_found: /* Worker::next(): take_last(), or there is nothing */
  atomic {
    if
    :: last_taken == 0 -> take_last()
#if defined(NO_MEMORY) && !defined(MUTANT_LAST_FIRST)
    :: last_taken == 1 && starved && !again -> again = 1; goto search
#endif
    :: else
    fi;
#ifndef NO_MEMORY
    check_all_handed()
#endif
  }
end_of_loop:
  ended++
}

#ifdef SUSPEND
proctype suspension() {
  if
  :: suspended = 1
#if WORKERS > 1
  :: suspended = 2
#endif
#if WORKERS > 2
  :: suspended = 3
#endif
#if WORKERS > 3
  :: suspended = 4
#endif
  :: true
  fi
}
#endif

/* Shape: the share of schedule(static), the last iteration taken from the last root that has one. */
inline lay_out_roots() {
  u = 0;
  v = 0;
  do
  :: u < ROOTS ->
    begin[u] = v;
    v = v + ITERATIONS / ROOTS + (u < ITERATIONS % ROOTS -> 1 : 0);
    if
    :: v > UNITS -> v = UNITS
    :: else
    fi;
    size[u] = v - begin[u];
    u++
  :: else -> break
  od;
  u = 0;
  v = 0
}

init {
  byte u, v;
  d_step { lay_out_roots() }
  atomic {
    run worker(0);
#if WORKERS > 1
    run worker(1);
#endif
#if WORKERS > 2
    run worker(2);
#endif
#if WORKERS > 3
    run worker(3);
#endif
#ifdef SUSPEND
    run suspension()
#endif
  }
  timeout; /* no process can take a step any more */
#ifdef SUSPEND
  /* A suspended worker holds back nothing but the batch that it was handed: the others come to their end, and all other
   * iterations are handed out. Only if the one that has retired with the last iteration alone is left, some remain. */
  assert(ended == WORKERS || (suspended != NONE && ended == WORKERS - 1));
  if
  :: ended < WORKERS && WORKERS == 2 && last_taken
  :: else -> check_all_handed()
  fi
#else
  assert(ended == WORKERS);
  check_all_handed()
#endif
}

#ifdef LTL
ltl everybody_ends { <> (ended == WORKERS) }
#endif
