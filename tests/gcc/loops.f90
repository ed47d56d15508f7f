! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program loops
  implicit none
  integer :: i, visits(1000), total
  visits = 0
  total = 0
!$omp parallel do
  do i = 1, 1000
    visits(i) = visits(i) + i
  end do
!$omp parallel
!$omp do reduction(+:total)
  do i = 1, 1000
    total = total + visits(i)
  end do
!$omp end do
!$omp end parallel
  print '(i0)', total
end program loops
