"""The web app: play, solve and look, in a browser, on this machine alone.

A layer over the front door, as the command line is. Pages and pictures are drawn by the server; a page works without
JavaScript, and `static/fog.js` only spares reloading it. `app.make_app` puts it together; each folder is a screen.
"""
