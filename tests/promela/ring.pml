/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The ring of loop slots of a team, as runtime/loop/member.h and team.h have it, over several regions: positions, the wait
 * for a slot, members that leave a region early, and the marks that tell the uses of a slot apart. Sequential consistency.
 *
 *   MEMBERS  of the largest team        RING     slots (k_ring)
 *   REGIONS  one after another          LOOPS    most loops in a region; members may leave it before any of them
 *   EPOCHS   uses of a slot after which a mark looks like that of the present use (core/marks.h); a quarter of them is
 *            Marks::k_every
 *   SMALLER  every other region has one member less
 *   SOME     a member may leave its root untouched: it has no units, or the loop is of another model
 *   MUTANT_...  breaks one step, see README.md
 */
#ifndef MEMBERS
#define MEMBERS 2
#endif
#ifdef SMALLER
#define MEMBERS_OF(region) (MEMBERS - (region) % 2)
#else
#define MEMBERS_OF(region) MEMBERS
#endif
#ifndef RING
#define RING 2
#endif
#ifndef REGIONS
#define REGIONS 1
#endif
#ifndef LOOPS
#define LOOPS 5
#endif
#ifndef EPOCHS
#define EPOCHS 4
#endif
#define EVERY (EPOCHS / 4)
#define CLEAR 255
#define ROOTS (RING * MEMBERS)

/* Team. Loops are numbered from region to region; the first use of every slot has number 1. */
byte base = RING;      /* base_ */
byte next_base = RING; /* next_base_ */
byte absent;           /* absent_ */
bit storage;           /* storage_: made by the first member that needs it, kept from then on */
byte team_size;        /* members of the region */
byte expected;         /* opening_.next: a member that departs there writes nothing */
byte loops = 1;        /* loops_ */
byte cleared_at;       /* cleared_at_ */

/* Line::position of each member, in two variables that are written and read together. */
byte started[MEMBERS];
bit departed[MEMBERS];

/* The use whose mark each root of each slot bears, CLEAR if none. */
byte mark[ROOTS];

/* What the properties speak about. */
byte inside[MEMBERS]; /* the loop in which a member may still read, 0: none */
byte region;          /* that is open */
byte gone;            /* members that have left it */
bit finished;

#define SLOT(loop) ((loop) % RING)
#define USE(loop) ((loop) / RING)
#define MARK(loop, m) mark[SLOT(loop) * MEMBERS + m]

/* The slot of `loop` is used from here on: no member is in a loop that used it before, and no mark looks current that is not. */
inline check_slot() {
  m = 0;
  do
  :: m < team_size ->
    assert(m == me || inside[m] == 0 || inside[m] == loop || SLOT(inside[m]) != SLOT(loop));
    assert(MARK(loop, m) == CLEAR || MARK(loop, m) == USE(loop) || (USE(loop) - MARK(loop, m)) % EPOCHS != 0);
    m++
  :: else -> break
  od;
  m = 0
}

/* Member::slot_is_free(): one member after the other. `is_free` is the answer. */
inline look_at_all() {
  atomic {
    slowest = loop;
    late = 0;
    m = 0;
    leavers = absent
  }
  do
  :: atomic { m < team_size && m == me -> m++ }
  :: atomic { m < team_size && m != me ->
      if
#ifdef MUTANT_ANY_DEPARTURE
      :: departed[m] -> leavers++
#else
      :: departed[m] && started[m] >= base -> leavers++
#endif
      :: else ->
        if
        :: started[m] >= loop - RING + 1 ->
          if
          :: started[m] < slowest -> slowest = started[m]
          :: else
          fi
        :: else -> late++
        fi
      fi;
      m++ }
  :: atomic { m == team_size ->
      m = 0;
#ifdef MUTANT_NO_ABSENT
      is_free = (late == 0);
#else
      is_free = (late <= absent);
#endif
      late = 0;
      break }
  od
}

/* Member::enter(), after the first lines, and the first next(). */
inline enter() {
  /* position.store(): also says that all loops before are left. */
  d_step {
    inside[me] = 0;
    loop++;
#ifndef MUTANT_NO_POSITION
    started[me] = loop;
    departed[me] = 0
#endif
  }
#ifndef MUTANT_NO_WAIT
  if
  :: loop < free_until
  :: else ->
    do /* Member::wait_for_slot() */
    :: look_at_all();
      if
      :: is_free -> break
      :: else /* P::relax() or P::yield() */
      fi
    od;
    atomic {
      is_free = 0;
#ifdef MUTANT_OPTIMISTIC
      free_until = loop + RING;
#else
      free_until = (leavers != 0 -> loop : slowest + RING);
#endif
      leavers = 0;
      slowest = 0
    }
  fi;
#endif
  d_step {
#ifndef MUTANT_NO_REFRESH
    if
    :: USE(loop) % EVERY == 0 -> /* Slot::refresh() */
      m = 0;
      do
      :: m < MEMBERS ->
        if
        :: MARK(loop, m) != CLEAR && (USE(loop) - MARK(loop, m)) % EPOCHS >= EVERY -> MARK(loop, m) = CLEAR
        :: else
        fi;
        m++
      :: else -> break
      od;
      m = 0
    :: else
    fi;
#endif
    check_slot();
    inside[me] = loop
  }
  /* Worker::arrive(): the own root is claimed. */
  if
  :: d_step { MARK(loop, me) = USE(loop) }
#ifdef SOME
  :: skip
#endif
  fi
}

/* Member::depart(). */
inline depart() {
  inside[me] = 0;
  if
  :: !has_storage ->
    if
    :: storage == 0 -> goto leave_without_storage /* Team::note_absent() */
    :: else -> loop = base
    fi
  :: else
  fi;
#ifndef MUTANT_NO_DEPARTURE
  d_step { started[me] = loop; departed[me] = 1 }
#endif
  d_step { /* Team::reached() */
    if
    :: loop + 1 != expected && next_base <= loop -> next_base = loop + 1
    :: else
    fi
  }
}

proctype member(byte me) {
  byte my_region;
  byte loop, free_until, slowest, late, leavers, m;
  bit has_storage, is_free;

  do
  :: my_region == REGIONS -> break
  :: atomic { my_region < REGIONS && region > my_region -> my_region++; loop = 0; free_until = 0 }
    if
    :: me < MEMBERS_OF(my_region - 1) /* not team_size: the next region may be open by now */
    :: else -> goto not_in_this_region
    fi;
    do
    :: atomic { !has_storage -> storage = 1; has_storage = 1; loop = base - 1; free_until = base + RING }
      enter()
    :: has_storage && loop + 1 < base + LOOPS -> enter()
    :: break /* the region ends here for this member: it was cancelled, or it has no more loops */
    od;
    depart();
    goto left;
leave_without_storage:
    absent++;
left:
    skip;
    d_step { has_storage = 0; loop = 0; free_until = 0; gone++ }
not_in_this_region:
    skip
  od
}

/* The thread that opens the regions. */
init {
  byte m;
  d_step {
    m = 0;
    do
    :: m < ROOTS -> mark[m] = CLEAR; m++
    :: else -> break
    od;
    m = 0
  }
  atomic {
    run member(0);
    run member(1);
#if MEMBERS > 2
    run member(2);
#endif
#if MEMBERS > 3
    run member(3);
#endif
  }
  do
  :: region < REGIONS ->
    d_step { /* Team::open() */
      base = next_base;
      expected = base + loops;
#ifndef MUTANT_NO_CLEARING
      if
      :: base - cleared_at >= EVERY * RING -> /* Team::clear_slots() */
        m = 0;
        do
        :: m < ROOTS -> mark[m] = CLEAR; m++
        :: else -> break
        od;
        m = 0;
        cleared_at = base
      :: else
      fi;
#endif
      absent = 0;
      gone = 0;
      team_size = MEMBERS_OF(region);
      region++
    }
    gone == team_size;
    d_step { /* Team::close() */
      if
      :: next_base != base -> loops = next_base - base
      :: else
      fi;
      if
      :: next_base < expected && storage -> next_base = expected
      :: else
      fi
    }
  :: else -> break
  od;
  finished = 1
}

#ifdef LTL
ltl the_last_region_ends { <> finished }
#endif
