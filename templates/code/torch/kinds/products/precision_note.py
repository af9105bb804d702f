
Of a matrix product the error is small against |x| @ |w| and not against x @ w, which may cancel (N. J. Higham, Accuracy
and Stability of Numerical Algorithms, section 3.5); so there a share of the result's root mean square is allowed, too.
