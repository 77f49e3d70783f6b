// Several sessions side by side: who was how fast, how each search went, and how times scale with a size or with the
// number of devices.
"use strict";
(() => {
  const { model, charts } = warptune;
  const colour = (sessions) => ({ field: "session", type: "nominal", title: null, scale: { domain: sessions.map((s) => s.label()) } });
  // Times of all sessions in one unit; other objectives as they are. Null where the sessions have different objectives.
  const shared = (sessions) => {
    const known = sessions.filter((s) => s.best());
    if (sessions.length < 2 || known.length < 1 || new Set(known.map((s) => s.objective)).size > 1) return null;
    const timed = known.every((s) => s.timed);
    const [unit, factor] = timed ? model.unitOf(Math.min(...known.map((s) => s.winner().value))) : [known[0].objective, 1];
    return { known, timed, factor, axis: timed ? `Time (${unit})` : unit, text: (v) => timed ? model.durationText(v) : `${model.digits(v)} ${unit}` };
  };

  charts.push({
    id: "sessions", title: "Sessions", section: "compare", wide: true,
    build: ({ sessions }) => sessions.length < 2 ? null : {
      tableOpen: true,
      table: {
        columns: [{ title: "session" }, { title: "what differs" }, { title: "device" }, { title: "problem" }, { title: "winner", number: true },
          { title: "±", number: true }, { title: "speed-up" }, { title: "trials", number: true },
          { title: "tuning time", number: true }, { title: "strategy" }],
        rows: sessions.map((s) => {
          const winner = s.winner(), error = s.json.winner && (s.timed ? s.json.winner.relative_error : s.json.winner.value_error);
          const seconds = s.count ? s.seconds(s.count - 1) : 0, [unit, factor] = model.wallUnit(seconds);
          return [s.json.reference, s.label(), s.key.device.name, model.configurationText(s.problem()), winner ? s.text(winner.value) : "–",
            error ? model.percent(error) : "–", s.json.speed_up_text ?? "–", s.count.toLocaleString("en"),
            `${model.digits(seconds / factor)} ${unit}`, s.json.session.strategy];
        }),
      },
    },
  });

  charts.push({
    id: "compare-winners", title: "Winners", section: "compare",
    build: ({ sessions }) => {
      const all = shared(sessions);
      if (!all) return null;
      const rows = all.known.map((s) => {
        const winner = s.winner(), error = (s.json.winner && (all.timed ? s.json.winner.relative_error : s.json.winner.value_error)) ?? 0;
        return { session: s.label(), value: winner.value / all.factor, low: winner.value * (1 - error) / all.factor, high: winner.value * (1 + error) / all.factor,
          text: all.text(winner.value), error: model.percent(error), configuration: model.configurationText(s.json.winner?.configuration ?? s.configuration(winner.i)) };
      });
      return {
        spec: {
          height: 28 * rows.length, data: { name: "winners" },
          encoding: { y: { field: "session", type: "nominal", title: null, sort: all.known.map((s) => s.label()) } },
          layer: [
            { mark: { type: "bar", height: 16 }, encoding: { x: { field: "value", type: "quantitative", title: all.axis },
              color: { ...colour(sessions), legend: null }, tooltip: [{ field: "session" }, { field: "text", title: "winner" }, { field: "error", title: "±" }, { field: "configuration" }] } },
            { mark: { type: "rule", strokeWidth: 2 }, encoding: { x: { field: "low", type: "quantitative" }, x2: { field: "high" } } },
          ],
        },
        data: { winners: rows },
        summary: rows.map((row) => `${row.session}: ${row.text}`).join("; "),
        note: "The dark line is the 95 % interval.",
        table: { columns: [{ title: "session" }, { title: all.axis, number: true }, { title: "±", number: true }, { title: "configuration" }],
          rows: rows.map((row) => [row.session, model.digits(row.value, 4), row.error, row.configuration]) },
      };
    },
  });

  charts.push({
    id: "compare-search", title: "Best so far", section: "compare",
    build: ({ sessions, choices }) => {
      const all = shared(sessions);
      if (!all) return null;
      const by = choices.by ?? "trials";
      const last = (s) => by === "trials" ? s.count : s.seconds(s.count - 1);
      const [unit, wall] = by === "trials" ? ["", 1] : model.wallUnit(Math.max(...all.known.map(last)));
      const rows = [], table = [];
      for (const s of all.known) {
        const steps = s.improvements();
        const row = (i, value, x) => ({ session: s.label(), x: x / wall, y: value / all.factor, text: all.text(value), trial: s.trials.id[i] });
        for (const { i, value } of steps) rows.push(row(i, value, by === "trials" ? i + 1 : s.seconds(i)));
        rows.push(row(steps.at(-1).i, steps.at(-1).value, last(s)));
        table.push([s.label(), steps.length, all.text(steps.at(-1).value)]);
      }
      return {
        selectors: [{ name: "by", title: "over", values: [{ value: "trials", title: "trials" }, { value: "time", title: "tuning time" }], chosen: by }],
        spec: {
          data: { name: "steps" }, mark: { type: "line", interpolate: "step-after", point: { size: 24 } },
          encoding: {
            x: { field: "x", type: "quantitative", title: by === "trials" ? "Trials" : `Tuning time (${unit})`, scale: { type: by === "trials" ? "symlog" : "linear", nice: false }, axis: { grid: false } },
            y: warptune.logAxis("y", all.axis, rows.map((row) => row.y)), color: colour(sessions),
            tooltip: [{ field: "session" }, { field: "trial" }, { field: "text", title: all.timed ? "time" : "value" }],
          },
        },
        data: { steps: rows },
        summary: table.map(([name, , best]) => `${name}: ${best}`).join("; "),
        table: { columns: [{ title: "session" }, { title: "improvements", number: true }, { title: "best found by the search", number: true }], rows: table },
      };
    },
  });

  // Numbers of devices are sizes by these names.
  const counted = /^(n|num|number_of)?_?(gpu|device|rank|processor|worker|node|core)s?$/i;
  const number = (value) => typeof value === "number" ? value : null;
  // The one size that varies, and the sessions' other traits, which name a curve.
  const curvesBy = (sessions, pick) => {
    const timed = sessions.filter((s) => s.timed && s.winner());
    const names = [...new Set(timed.flatMap((s) => Object.keys(s.key.problem_size)))];
    const varied = names.filter((name) => new Set(timed.map((s) => s.key.problem_size[name])).size > 1);
    const name = pick(varied);
    if (!name) return null;
    const curves = new Map();
    for (const s of timed) {
      const size = number(s.key.problem_size[name]);
      if (!(size > 0)) continue;
      const key = [s.key.kernel, s.key.device.name, model.configurationText(s.key.variants)].filter(Boolean).join(", ");
      const points = curves.get(key) ?? curves.set(key, new Map()).get(key);
      const before = points.get(size);
      if (!before || s.winner().value < before.ms) points.set(size, { size, ms: s.winner().value, s });
    }
    for (const [key, points] of curves) curves.set(key, [...points.values()].sort((a, b) => a.size - b.size));
    return { name, varied, curves: [...curves].filter(([, points]) => points.length > 1) };
  };

  charts.push({
    id: "scaling-size", title: "Time over size", section: "compare",
    build: ({ sessions }) => {
      const found = curvesBy(sessions, (varied) => varied.filter((name) => !counted.test(name))[0]);
      if (!found?.curves.length) return null;
      const [unit, factor] = model.unitOf(Math.min(...found.curves.flatMap(([, points]) => points.map((p) => p.ms))));
      const rows = found.curves.flatMap(([curve, points]) => points.map((p, k) => {
        const slope = k ? Math.log(p.ms / points[k - 1].ms) / Math.log(p.size / points[k - 1].size) : null;
        return { curve, x: p.size, y: p.ms / factor, text: model.durationText(p.ms), problem: model.configurationText(p.s.problem()), slope };
      }));
      return {
        spec: {
          data: { name: "points" }, mark: { type: "line", point: { size: 36 } },
          encoding: { x: warptune.logAxis("x", found.name, rows.map((row) => row.x)), y: warptune.logAxis("y", `Time (${unit})`, rows.map((row) => row.y)),
            color: { field: "curve", type: "nominal", title: null, legend: found.curves.length > 1 ? {} : null },
            tooltip: [{ field: "curve" }, { field: "problem" }, { field: "text", title: "winner" }] },
        },
        data: { points: rows },
        summary: rows.map((row) => `${row.problem}: ${row.text}`).join("; "),
        note: `Each size's winner${found.varied.length > 1 ? `; ${found.varied.join(", ")} vary` : ""}. The exponent is the slope between neighbours: 1 is linear.`,
        table: { columns: [{ title: "curve" }, { title: found.name, number: true }, { title: "winner", number: true }, { title: "exponent", number: true }],
          rows: rows.map((row) => [row.curve, row.x, row.text, row.slope === null ? "–" : model.digits(row.slope)]) },
      };
    },
  });

  // Least squares of one parameter in [0, 1], by golden section: both laws are smooth and have one minimum in it.
  const fitShare = (law, points) => {
    const error = (share) => points.reduce((sum, p) => sum + (law(p.devices, share) - p.speed_up) ** 2, 0);
    let low = 0, high = 1;
    const golden = (Math.sqrt(5) - 1) / 2;
    for (let step = 0; step < 60; ++step) {
      const a = high - golden * (high - low), b = low + golden * (high - low);
      if (error(a) < error(b)) high = b;
      else low = a;
    }
    return (low + high) / 2;
  };
  // `serial` is the share of the time on one device, Amdahl's, or on all of them, Gustafson's, that is not divided.
  const amdahl = (p, serial) => 1 / (serial + (1 - serial) / p);
  const gustafson = (p, serial) => p - serial * (p - 1);

  // Strong scaling where all other sizes stay, weak scaling where others grow with the devices.
  const scaling = (points, name) => {
    const first = points[0];
    const others = (p) => Object.entries(p.s.key.problem_size).filter(([key]) => key !== name).map(([, value]) => number(value) ?? 1);
    const work = (p) => others(p).reduce((a, b) => a * b, 1) / others(first).reduce((a, b) => a * b, 1);
    const strong = points.every((p) => work(p) === 1);
    const relative = points.map((p) => ({ devices: p.size / first.size, at: p.size, work: work(p), speed_up: work(p) * first.ms / p.ms, ms: p.ms }));
    for (const p of relative) p.efficiency = p.speed_up / p.devices;
    const law = strong ? amdahl : gustafson;
    return { relative, strong, law, serial: fitShare(law, relative) };
  };

  charts.push({
    id: "scaling-devices", title: "Speed-up over devices", section: "compare",
    build: ({ sessions }) => {
      const found = curvesBy(sessions, (varied) => varied.find((name) => counted.test(name)));
      if (!found?.curves.length) return null;
      const rows = [], fits = [], notes = [];
      for (const [curve, points] of found.curves) {
        const { relative, strong, law, serial } = scaling(points, found.name);
        for (const p of relative)
          rows.push({ curve, x: p.at, y: p.speed_up, ideal: p.devices, text: `${model.digits(p.speed_up)} ×`, efficiency: model.percent(p.efficiency, 3), ms: model.durationText(p.ms) });
        const end = relative.at(-1).devices;
        for (let k = 0; k <= 40; ++k) {
          const p = end ** (k / 40);
          fits.push({ curve, x: p * relative[0].at, y: law(p, serial), kind: "fit" }, { curve, x: p * relative[0].at, y: p, kind: "ideal" });
        }
        notes.push(`${found.curves.length > 1 ? `${curve}: ` : ""}${strong ? "Amdahl" : "Gustafson (the problem grows with the devices)"}: serial share ${model.percent(serial, 3)}.`);
      }
      return {
        spec: {
          encoding: { x: { field: "x", type: "quantitative", title: found.name, scale: { type: "log", base: 2, nice: false } },
            y: { field: "y", type: "quantitative", title: "Speed-up", scale: { type: "log", base: 2, nice: false } } },
          layer: [
            { data: { name: "fits" }, mark: { type: "line", strokeWidth: 1.5 }, encoding: { detail: { field: "curve" },
              strokeDash: { field: "kind", type: "nominal", title: null, scale: { domain: ["fit", "ideal"], range: [[1, 0], [3, 4]] } }, color: { value: "var(--point)" } } },
            { data: { name: "points" }, mark: { type: "point", size: 60 }, encoding: { color: { field: "curve", type: "nominal", title: null, legend: found.curves.length > 1 ? {} : null },
              tooltip: [{ field: "curve" }, { field: "x", title: found.name }, { field: "ms", title: "winner" }, { field: "text", title: "speed-up" }, { field: "efficiency" }] } },
          ],
        },
        data: { points: rows, fits },
        summary: rows.map((row) => `${row.x}: ${row.text}, efficiency ${row.efficiency}`).join("; "),
        note: `Against ${model.valueText(found.curves[0][1][0].size)} ${found.name}. ${notes.join(" ")}`,
        table: { columns: [{ title: "curve" }, { title: found.name, number: true }, { title: "winner", number: true }, { title: "speed-up", number: true }, { title: "efficiency", number: true }],
          rows: rows.map((row) => [row.curve, row.x, row.ms, row.text, row.efficiency]) },
      };
    },
  });
})();
