"""Growing JSON, shown to people: `midstream.render.terminal` (needs rich), `midstream.render.plain`."""
