"""Results of a campaign as plots, tables and one page. The pieces know nothing of the command line."""
