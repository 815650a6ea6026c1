"""Jobs: commands of Fogbound that the server runs beside itself, for pages that wait for what they print."""
