# Owned by opforge: `opforge update` replaces this file.
# SPDX-License-Identifier: Apache-2.0
"""What the operators of this package stand on: loading, checks, fallbacks, autocast. Not for users of the package."""
