# One line with the program and its version; what it was built with follows, and differs from machine to machine.
assay --version | sed -n 1p
assay --version | sed -n 2p | grep -o '^built with'
