// Where the figures come from: everything that a measurement depends on, and what later checks said.
"use strict";
(() => {
  const { model, charts } = warptune;
  const rowsOf = (s) => {
    const { key } = s, session = s.json.session, device = key.device;
    const facts = {
      "session": `${s.json.reference} (${session.state}, ${session.kind})`, "kernel": key.kernel, "problem": model.configurationText(s.problem()),
      "device": [device.name, device.architecture, device.memory_gib && `${device.memory_gib} GiB`, device.multiprocessors && `${device.multiprocessors} multiprocessors`].filter(Boolean).join(", "),
      "measured on": session.device_uuids.join(", "), "driver": device.driver, "compiler": key.compiler, "options": key.options,
      "source": key.source_hash, "manifest": key.manifest_hash, "policy": key.policy, "restrictions": key.restrictions.join("; "),
      "capture": key.capture, "strategy": `${session.strategy}, seed ${session.seed}`, "objective": session.objective,
      "search space": session.space_size === null ? null : `${session.space_size.toLocaleString("en")} valid configurations`,
      "started": model.momentText(session.started_at), "updated": model.momentText(session.updated_at), "origin": session.origin, "merged from": session.merged_from,
      "template": session.template, "program": `warptune ${session.tool_version}`, "note": session.note,
    };
    return Object.entries(facts).filter(([, value]) => value !== null && value !== undefined && value !== "");
  };
  charts.push({
    id: "key", title: "What the figures depend on", section: "provenance", wide: true,
    build: ({ session: s }) => ({ tableOpen: true, table: { columns: [{ title: "what" }, { title: "value" }], rows: rowsOf(s) } }),
  });
  charts.push({
    id: "limits", title: "The device's limits", section: "provenance",
    build: ({ session: s }) => {
      const rows = Object.entries(s.json.limits ?? {});
      return rows.length ? { folded: true, table: { columns: [{ title: "limit" }, { title: "value", number: true }], rows } } : null;
    },
  });
  charts.push({
    id: "checks", title: "Later checks", section: "provenance", wide: true,
    build: ({ session: s }) => s.json.checks.length ? {
      tableOpen: true,
      table: { columns: [{ title: "checked" }, { title: "trial", number: true }, { title: "outcome" }, { title: "recorded", number: true },
        { title: "measured", number: true }, { title: "not as then" }, { title: "message" }],
      rows: s.json.checks.map((c) => [model.momentText(c.checked_at), c.trial, c.outcome, model.digits(c.recorded),
        model.digits(c.measured), c.differs, c.message]) },
    } : null,
  });
})();
