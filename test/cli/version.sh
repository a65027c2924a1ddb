# The version is one line: name and number.
assay --version
