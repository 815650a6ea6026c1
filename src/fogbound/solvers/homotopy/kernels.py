"""Systems of linear equations, by LU factors that serve several right sides: compiled.

One thread whatever the machine, so that a path goes the same way to the last bit; zeros, which most derivatives are
where unknowns are many, cost nothing.
"""

from __future__ import annotations

from fogbound.compiled.kernel import kernel


@kernel
def factorise(matrix, places):
    """LU factors in place, by rows with partial pivoting; False where the matrix is singular."""
    size = len(matrix)
    for k in range(size):
        best, at = abs(matrix[k, k]), k
        for i in range(k + 1, size):
            if abs(matrix[i, k]) > best:
                best, at = abs(matrix[i, k]), i
        if not best > 1e-300:
            return False
        places[k] = at
        if at != k:
            for j in range(size):
                matrix[k, j], matrix[at, j] = matrix[at, j], matrix[k, j]
        for i in range(k + 1, size):
            if matrix[i, k] != 0.0:
                factor = matrix[i, k] / matrix[k, k]
                matrix[i, k] = factor
                for j in range(k + 1, size):
                    matrix[i, j] -= factor * matrix[k, j]
    return True


@kernel
def solve_factorised(factors, places, right):
    """The solution of the factorised system, in place of its right side."""
    size = len(factors)
    for k in range(size):
        at = places[k]
        if at != k:
            right[k], right[at] = right[at], right[k]
    for i in range(size):
        total = right[i]
        for j in range(i):
            total -= factors[i, j] * right[j]
        right[i] = total
    for i in range(size - 1, -1, -1):
        total = right[i]
        for j in range(i + 1, size):
            total -= factors[i, j] * right[j]
        right[i] = total / factors[i, i]
