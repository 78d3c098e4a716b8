"""What pages share: state and addresses, the catalogue of packages, the prompt viewer, charts, tables and layout."""
