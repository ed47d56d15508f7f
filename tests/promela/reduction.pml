/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One reduction on a tree with one root, as include/wstree/core/reduction has it, under sequential consistency: the claim
 * of tree.pml, and what is put down at nodes and combined. The value of a range is the range: to combine two that are not
 * neighbours is an error, so order is checked with everything else.
 *
 *   WORKERS  members        UNITS  of the root; batches have one
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef UNITS
#define UNITS 3
#endif
#define NODES (2 * UNITS + 1)
#define NONE 255

mtype:phase = { AVAILABLE, OWNED, STOLEN };
mtype:phase phase[NODES] = AVAILABLE;
byte begin[NODES], size[NODES], left[NODES], children[NODES], parent[NODES] = NONE;
byte arrivals[NODES];
byte from[NODES], to[NODES]; /* the value that was put down: [from, to) */
bit put[NODES];
byte executed[UNITS];
byte nodes = 1; /* in use */
byte ended;

#define REMAINING(n) (size[n] - left[n])
#define MAY_CLAIM(n) (n < nodes && size[n] > 0 && children[n] == 0 && \
                      (phase[n] == AVAILABLE || REMAINING(n) > 0))

inline execute(unit) {
  assert(executed[unit] == 0);
  executed[unit] = 1
}
/* Owner::own(), with the first batch. */
inline own(n) {
  phase[n] = OWNED;
  left[n] = 1;
  execute(begin[n]);
  node = n;
  mine = 1
}
/* Owner::publish(), adopt(), and the way up: Ascent::start(). The caller has one half, if one is left. */
inline expand(n) {
  if
  :: children[n] == 0 ->
    pair = nodes;
    nodes = nodes + 2;
    half = REMAINING(n) / 2;
    if /* a worker that splits never gets an empty half; which half it gets is open */
    :: skip
    :: half = REMAINING(n) - half
    fi;
    begin[pair] = begin[n] + left[n];
    size[pair] = half;
    begin[pair + 1] = begin[pair] + half;
    size[pair + 1] = REMAINING(n) - half;
    parent[pair] = n;
    parent[pair + 1] = n;
    children[n] = pair
  :: else -> pair = children[n]
  fi;
  if
  :: size[pair] > 0 && phase[pair] == AVAILABLE -> own(pair)
  :: size[pair + 1] > 0 && phase[pair + 1] == AVAILABLE -> own(pair + 1)
  :: (size[pair] == 0 || phase[pair] != AVAILABLE) && (size[pair + 1] == 0 || phase[pair + 1] != AVAILABLE) -> skip
  fi;
  pair = 0;
  half = 0
}
/* ReductionWorker::put() */
inline put_down(n, units) {
  assert(put[n] == 0); /* INV7 */
  put[n] = 1;
  from[n] = begin[n];
  to[n] = begin[n] + units
}
inline append(n, child) {
  if
  :: size[child] > 0 ->
    assert(put[n] && put[child] && to[n] == from[child]); /* INV8, and in order */
    put[child] = 0;
    to[n] = to[child]
  :: else
  fi
}

proctype worker() {
  byte node = NONE, mine, target = NONE, seen, pair, half, at = NONE, before, i;
  byte stopped = NONE, done;

work:
  do
  :: atomic { node != NONE && mine < size[node] && phase[node] == OWNED -> /* advance() */
      left[node] = left[node] + 1;
      execute(begin[node] + mine);
      mine++ }
  :: atomic { node != NONE && mine < size[node] && phase[node] == STOLEN -> /* descend() */
      stopped = node; done = mine; node = NONE; mine = 0;
      expand(stopped) }
#ifdef MUTANT_ARRIVE_FIRST
    atomic { at = stopped; goto arrive }
prepare:
    atomic { if :: stopped != NONE -> put_down(stopped, done); stopped = NONE; done = 0 :: else fi }
#else
    atomic { put_down(stopped, done); at = stopped; stopped = NONE; done = 0; goto arrive }
#endif
  :: atomic { node != NONE && mine == size[node] -> /* complete() */
      put_down(node, mine);
      at = parent[node]; node = NONE; mine = 0; goto arrive }

  :: atomic { node == NONE && target == NONE -> /* find() */
      i = 0;
      do
      :: i < NODES && MAY_CLAIM(i) -> target = i; seen = left[i]; break
      :: i < NODES -> i++
      :: i == NODES ->
        i = 0; /* the last look was at all of them */
        do
        :: i < NODES && !MAY_CLAIM(i) -> i++
        :: i < NODES && MAY_CLAIM(i) -> target = i; seen = left[i]; break
        :: i == NODES -> goto nothing_left
        od;
        break
      od;
      i = 0 }
  :: atomic { target != NONE -> /* claim() */
      if
      :: phase[target] == AVAILABLE -> own(target)
      :: phase[target] == OWNED && left[target] == seen && REMAINING(target) > 0 -> phase[target] = STOLEN; at = target
      :: phase[target] == STOLEN -> at = target
      :: phase[target] == OWNED && (left[target] != seen || REMAINING(target) == 0) -> skip /* a lost race */
      fi;
      target = NONE; seen = 0 }
    atomic { if :: at != NONE -> expand(at); at = NONE :: else fi }
  od;

arrive: /* ReductionWorker::arrive() */
  do
  :: at == NONE -> break
  :: at != NONE ->
#ifdef MUTANT_ARRIVE_STORE
    before = arrivals[at];
    arrivals[at] = before + 1;
#else
    atomic { before = arrivals[at]; arrivals[at] = before + 1 }
#endif
    atomic {
      if
      :: before == 0 -> at = NONE
      :: else ->
        pair = children[at];
        assert(pair != 0);
#ifdef MUTANT_COUNT_EMPTY
        half = 3;
#else
        half = 1 + (size[pair] > 0) + (size[pair + 1] > 0);
#endif
        if
        :: before + 1 != half -> at = NONE
        :: else -> i = 1
        fi;
        half = 0
      fi;
      before = 0
    }
    atomic { if :: i == 1 -> append(at, pair) :: else fi }
    atomic { if :: i == 1 -> append(at, pair + 1); i = 0; at = parent[at] :: else fi; pair = 0 }
  od;
#ifdef MUTANT_ARRIVE_FIRST
  goto prepare;
#else
  goto work;
#endif
nothing_left:
  ended++
}

init {
  byte u;
  size[0] = UNITS;
  atomic {
    run worker();
#if WORKERS > 1
    run worker();
#endif
#if WORKERS > 2
    run worker()
#endif
  }
  timeout;
  assert(ended == WORKERS);
  for (u : 0 .. UNITS - 1) { assert(executed[u]) }
  assert(put[0] && from[0] == 0 && to[0] == UNITS)
}

#ifdef LTL
ltl everybody_ends { <> (ended == WORKERS) }
#endif
