// The page itself: sections in their order, one figure a chart, and `warptune.update(data)`, which shows newer data in
// the same place without losing what was chosen or where the reader is.
"use strict";
(() => {
  const { model, element, charts } = warptune;
  const sections = [
    ["compare", "Sessions compared"], ["result", "Result"], ["search", "Search"], ["parameters", "Parameters"],
    ["hardware", "Hardware"], ["failures", "Failures"], ["provenance", "Provenance"],
  ];
  const state = { data: null, chosen: 0, choices: new Map(), figures: new Map() };
  const root = document.getElementById("report");

  const facts = (s) => {
    const winner = s.winner(), json = s.json, list = [];
    const add = (title, value, more) => value && list.push(element("div", {}, element("dt", {}, title),
      element("dd", {}, value, more ? element("small", {}, ` ${more}`) : null)));
    const error = json.winner && (s.timed ? json.winner.relative_error : json.winner.value_error);
    add(winner?.settled ? "Winner" : "Best so far", winner ? s.text(winner.value) : "nothing correct", error ? `± ${model.percent(error)}` : "");
    add("Speed-up", json.speed_up_text ?? "");
    add("Trials", s.count.toLocaleString("en"), `${s.correct.length.toLocaleString("en")} correct`);
    add("Search space", json.session.space_size ? model.digits(json.session.space_size, 4) : "", "configurations");
    const seconds = s.count ? s.seconds(s.count - 1) : 0, [unit, factor] = model.wallUnit(seconds);
    add("Tuning time", `${model.digits(seconds / factor)} ${unit}`);
    add("Strategy", json.session.strategy);
    const nearest = json.roofline?.winner?.roofs[0];
    if (nearest) add("Nearest roof", nearest.title, model.percent(nearest.share));
    return element("dl", { class: "facts" }, ...list);
  };

  const heading = (sessions, s) => {
    const several = sessions.length > 1;
    const kernels = [...new Set(sessions.map((one) => one.key.kernel))].join(", ");
    return element("header", {}, element("h1", {}, several ? `${kernels}: ${sessions.length} sessions` : kernels),
      element("p", { class: "soft" }, `${model.configurationText(s.problem())} · ${s.key.device.name}` +
        `${s.key.device.architecture ? ` (${s.key.device.architecture})` : ""} · session ${s.json.reference}, ${s.json.session.state}` +
        `${s.json.session.kind === "measured" ? "" : ` · ${s.json.session.kind}`}`),
      s.json.session.name ? element("p", {}, s.json.session.name) : null,
      s.json.session.note ? element("p", { class: "soft" }, s.json.session.note) : null);
  };

  const contextOf = (chart) => {
    if (!state.choices.has(chart.id)) state.choices.set(chart.id, {});
    return { sessions: state.data.sessions, session: state.data.sessions[state.chosen], choices: state.choices.get(chart.id) };
  };

  // A figure is made once, and filled whenever its data or choices change.
  const figureOf = (chart) => {
    if (state.figures.has(chart.id)) return state.figures.get(chart.id);
    const parts = {
      controls: element("div", { class: "controls" }), note: element("p", { class: "note" }),
      seen: element("div", { role: "img" }), place: element("div", { class: "chart", "aria-hidden": "true" }), table: element("div", {}, element("details")),
    };
    parts.seen.append(parts.place);  // the library gives its own element a role of its own
    const title = element("h3", { id: `title-${chart.id}` }, chart.title);
    parts.figure = element("figure", { hidden: true, id: `chart-${chart.id}`, class: chart.wide ? "wide" : "", "aria-labelledby": title.id },
      element("figcaption", {}, title), parts.controls, parts.seen, parts.note, parts.table);
    state.figures.set(chart.id, parts);
    return parts;
  };

  const fill = (chart) => {
    const parts = figureOf(chart), context = contextOf(chart);
    const built = chart.build(context);
    parts.figure.hidden = built === null;
    outline();  // before it is drawn: in a hidden section a chart has no width
    if (!built) return;
    const controls = (built.selectors ?? []).map((one) => ({ ...one, chosen: context.choices[one.name] ?? one.chosen }));
    const wanted = JSON.stringify(controls);
    if (parts.wanted !== wanted) {  // else they stay, and with them the focus
      parts.wanted = wanted;
      const focused = parts.controls.contains(document.activeElement) ? document.activeElement.name : null;
      parts.controls.replaceChildren(...controls.map((one) => warptune.selector(one.name, one.title, one.values, one.chosen, (value) => {
        context.choices[one.name] = value;
        pending.unshift(chart);
        work();
      })));
      if (focused) parts.controls.querySelector(`[name="${focused}"]`)?.focus();
    }
    parts.note.textContent = built.note ?? "";
    parts.seen.hidden = !built.spec || !window.vegaEmbed;
    if (built.summary) parts.seen.setAttribute("aria-label", built.summary);
    if (built.table) {
      const made = warptune.table(built.table.columns, built.table.rows, `${chart.title}, table`);
      if (built.tableOpen || !built.spec && !built.folded || !window.vegaEmbed) parts.table.replaceChildren(made);
      else (parts.table.querySelector("details") ?? parts.table.appendChild(element("details"))).replaceChildren(element("summary", {}, built.spec ? "As a table" : "Show the table"), made);
    }
    parts.table.hidden = !built.table;
    if (!parts.seen.hidden) return warptune.enqueue(chart.id, parts.place, built.spec, built.data);
  };

  // Charts are built and drawn one a task, from the top, so that the page can be read and scrolled at once.
  const pending = [];
  let working = false;
  const work = async () => {
    if (working) return;
    working = true;
    while (pending.length) {
      const chart = pending.shift();
      try {
        await fill(chart);
      } catch (error) {  // one chart's fault is not the others'
        console.error(`chart ${chart.id}: ${error.stack ?? error}`);
      }
      await new Promise((resume) => setTimeout(resume));
    }
    working = false;
  };
  warptune.settled = () => !working && !pending.length;  // for tests

  const sessionPicker = (sessions) => sessions.length < 2 ? null
    : element("div", { class: "controls" }, warptune.selector("session", "Details of", sessions.map((s, i) =>
      ({ value: String(i), title: s.label() })), String(state.chosen), (value) => { state.chosen = Number(value); show(); }));

  const frame = () => {
    const parts = { head: element("div"), picker: element("div"), nav: element("nav", { "aria-label": "Sections" }), bodies: new Map() };
    root.replaceChildren(element("a", { class: "skip", href: "#result" }, "Skip to the result"), parts.head, parts.nav);
    if (!window.vegaEmbed)
      root.append(element("p", { class: "warning" }, "The chart library was not there when this report was written, so it has tables only. "
        + "./bootstrap charts in Warptune's source tree fetches it."));
    for (const [id, title] of sections) {
      const grid = element("div", { class: "charts" }), facts = element("div");
      const section = element("section", { id, "aria-labelledby": `heading-${id}` }, element("h2", { id: `heading-${id}` }, title), ...(id === "result" ? [facts] : []), grid);
      for (const chart of charts.filter((one) => one.section === id)) grid.append(figureOf(chart).figure);
      parts.bodies.set(id, { section, facts });
      if (id === "result") root.append(parts.picker);
      root.append(section);
    }
    root.append(element("footer", { class: "note" }, `Written by Warptune ${state.data.toolVersion}.`));
    return parts;
  };

  const show = () => {
    const { sessions } = state.data;
    state.chosen = Math.min(state.chosen, sessions.length - 1);
    const s = sessions[state.chosen];
    state.frame ??= frame();
    state.frame.head.replaceChildren(heading(sessions, s));
    if (!state.frame.picker.contains(document.activeElement)) state.frame.picker.replaceChildren(...[sessionPicker(sessions)].filter(Boolean));
    state.frame.bodies.get("result").facts.replaceChildren(facts(s));
    pending.length = 0;
    pending.push(...charts);
    work();
  };

  // Sections and the way to them, as far as there is something in them.
  const outline = () => {
    for (const [id, { section }] of state.frame.bodies)
      section.hidden = id !== "result" && charts.filter((one) => one.section === id).every((one) => figureOf(one).figure.hidden);
    const known = sections.filter(([id]) => !state.frame.bodies.get(id).section.hidden), wanted = known.join();
    if (state.frame.wanted === wanted) return;
    state.frame.wanted = wanted;
    state.frame.nav.replaceChildren(element("ul", {}, ...known
      .map(([id, title]) => element("li", {}, element("a", { href: `#${id}` }, title)))));
  };

  warptune.update = (data) => {
    state.data = model.read(data);
    if (state.data.sessions.length) show();
  };
  warptune.update(JSON.parse(document.getElementById("warptune-data").textContent));
})();
