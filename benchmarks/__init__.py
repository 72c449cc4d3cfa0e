"""Load measurements of Teamspace beside its peers; see README.md."""
