! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Counts the pairs 1 <= j <= i <= n without a common divisor. Row i has i pairs, and each takes as long as Euclid's
! algorithm needs for it.
!
!   flang-new-19 -O2 -fopenmp triangular.f90 -o triangular
!   OMP_SCHEDULE=guided ./triangular 3000
program triangular
  use omp_lib
  implicit none
  integer :: n, i, j
  integer, allocatable :: coprime(:), totient(:)
  integer(8) :: pairs
  double precision :: start, seconds
  character(len=32) :: text

  n = 3000
  if (command_argument_count() > 0) then
    call get_command_argument(1, text)
    read (text, *) n
  end if
  if (n < 1 .or. n > 1000000) stop 2
  allocate (coprime(n), totient(n))
  coprime = 0

  start = omp_get_wtime()
  !$omp parallel do schedule(runtime) private(j)
  do i = 1, n
    do j = 1, i
      if (gcd(i, j) == 1) coprime(i) = coprime(i) + 1
    end do
  end do
  !$omp end parallel do
  seconds = omp_get_wtime() - start

  pairs = sum(int(coprime, 8))
  write (text, '(f0.6)') seconds
  if (text(1:1) == '.') text = '0'//text
  print '(a,i0,a,i0,a,i0,a,a,a)', 'triangular ', n, ': ', pairs, ' coprime pairs; ', &
    omp_get_max_threads(), ' threads, ', trim(text), ' s'

  ! Euler's totient of i is the number sought, and a sieve gives it without any division of pairs.
  totient = [(i, i=1, n)]
  do i = 2, n
    if (totient(i) /= i) cycle
    do j = i, n, i
      totient(j) = totient(j) - totient(j)/i
    end do
  end do
  if (any(coprime /= totient)) then
    print '(a)', 'triangular: the sieve of totients disagrees'
    stop 1
  end if

contains

  pure integer function gcd(a, b)
    integer, intent(in) :: a, b
    integer :: x, y, rest
    x = a
    y = b
    do while (y /= 0)
      rest = mod(x, y)
      x = y
      y = rest
    end do
    gcd = x
  end function gcd
end program triangular
