// How the search came to its best: over time, over trials, and where the time went.
"use strict";
(() => {
  const { model, charts } = warptune;
  const most = 2000;  // points in a cloud

  const thinned = (s, list) => list.length > most
    ? ` Points: ${most.toLocaleString("en")} of ${list.length.toLocaleString("en")} trials, evenly taken; the line knows all.` : "";

  // Failures have no time: they are ticks below. The axis leaves out what is far slower than the rest.
  const pointsOf = (s, x) => {
    const points = [];
    for (const i of model.sample(s.correct, most))
      points.push({ x: x(i), y: s.scaled(s.values[i]), trial: s.trials.id[i], text: s.text(s.values[i]),
        configuration: model.configurationText(s.configuration(i)) });
    return points;
  };
  const stepsOf = (s, x, last) => {
    const steps = s.improvements().map(({ i, value }) => ({ x: x(i), y: s.scaled(value), trial: s.trials.id[i],
      text: s.text(value), configuration: model.configurationText(s.configuration(i)) }));
    if (steps.length) steps.push({ ...steps.at(-1), x: last });
    return steps;
  };

  const layers = (s, xTitle, y, count) => ({
    layer: [
      { data: { name: "points" }, mark: { type: "point", ...warptune.cloud(count) } },
      { data: { name: "best" }, mark: { type: "line", interpolate: "step-after" },
        encoding: { tooltip: null } },
      { data: { name: "best" }, mark: { type: "point", color: "var(--c1)", size: 30 } },
    ],
    encoding: {
      x: { field: "x", type: "quantitative", title: xTitle, scale: { nice: false }, axis: { grid: false } },
      y,
      tooltip: [{ field: "trial", title: "trial", type: "nominal" }, { field: "text", title: s.timed ? "time" : "value" },
        { field: "configuration", title: "configuration" }],
    },
  });
  const stepTable = (s, steps, unit) => ({
    columns: [{ title: unit, number: true }, { title: "trial", number: true }, { title: s.axis(), number: true }, { title: "configuration" }],
    rows: steps.slice(0, -1).map((step) => [model.digits(step.x), step.trial, model.digits(step.y, 4), step.configuration]),
  });

  const over = (id, title, unitOfX) => charts.push({
    id, title, section: "search",
    build: ({ session: s }) => {
      if (!s.correct.length) return null;
      const { x, name, last } = unitOfX(s);
      const best = stepsOf(s, x, last);
      const end = best.at(-1), points = pointsOf(s, x);
      return {
        spec: layers(s, name, warptune.logAxis("y", s.axis(), [...points, ...best].map((p) => p.y)), points.length), data: { points, best },
        summary: `${title}: ${best.length - 1} improvements, from ${best[0].text} to ${end.text} at trial ${end.trial}.`,
        note: `Each point is a correct trial as the search measured it, the line the best so far.${thinned(s, s.correct)}`,
        table: stepTable(s, best, name),
      };
    },
  });
  over("best-over-time", "Best so far over time", (s) => {
    const seconds = s.count ? s.seconds(s.count - 1) : 0;
    const [unit, factor] = model.wallUnit(seconds);
    return { x: (i) => s.seconds(i) / factor, name: `Tuning time (${unit})`, last: seconds / factor };
  });
  over("best-over-trials", "Best so far over trials", (s) => ({ x: (i) => i + 1, name: "Trials", last: s.count }));

  const phaseNames = [["compile", "compiling"], ["verify", "verifying"], ["measure", "measuring"], ["framework", "the rest"]];
  charts.push({
    id: "phases", title: "Where the trials' time went", section: "search",
    build: ({ session: s }) => {
      const phases = phaseNames.filter(([name]) => s.trials.phases_ms[name]?.some((ms) => ms > 0));
      if (!phases.length) return null;
      const bins = Math.min(120, s.count), rows = [], sums = phases.map(() => 0);
      for (let b = 0; b < bins; ++b) {
        const end = Math.round((b + 1) * s.count / bins);
        for (let i = Math.round(b * s.count / bins); i < end; ++i)
          phases.forEach(([name], k) => { sums[k] += (s.trials.phases_ms[name][i] ?? 0) / 1000; });
        phases.forEach(([, title], k) => rows.push({ x: end, phase: title, seconds: sums[k] }));
      }
      const [unit, factor] = model.wallUnit(sums.reduce((a, b) => a + b, 0));
      for (const row of rows) row.seconds /= factor;
      return {
        spec: {
          data: { name: "phases" }, mark: { type: "area", opacity: .85 },
          encoding: {
            x: { field: "x", type: "quantitative", title: "Trials", scale: { nice: false }, axis: { grid: false } },
            y: { field: "seconds", type: "quantitative", title: `Sum (${unit})`, stack: "zero" },
            color: { field: "phase", type: "nominal", title: null, scale: { domain: phases.map(([, title]) => title) } },
            tooltip: [{ field: "phase", title: "phase" }, { field: "x", title: "trials" },
              { field: "seconds", title: unit, format: ".3~g" }],
          },
        },
        data: { phases: rows },
        summary: "Time by phase: " + phases.map(([, title], k) => `${title} ${model.digits(sums[k])} s`).join(", ") + ".",
        note: "Sums over trials. Compilations run beside each other and beside measurements, so they may exceed the time on the clock.",
        table: { columns: [{ title: "phase" }, { title: "seconds", number: true }],
          rows: phases.map(([, title], k) => [title, model.digits(sums[k])]) },
      };
    },
  });
})();
