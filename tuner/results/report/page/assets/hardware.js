// What the compiled configurations need of the device, against their time; the roofline, where it is known.
"use strict";
(() => {
  const { model, charts } = warptune;
  const most = 1500;
  const columns = [
    ["occupancy", "Occupancy", "Occupancy (%)", 100], ["registers", "Registers", "Registers per thread", 1],
    ["spilled_bytes", "Spills", "Local memory per thread (bytes)", 1], ["shared_bytes", "Shared memory", "Shared memory per block (KiB)", 1 / 1024],
    ["threads_per_block", "Threads per block", "Threads per block", 1],
  ];
  for (const [name, title, axis, factor] of columns)
    charts.push({
      id: name.replaceAll("_", "-"), title: `${title} against time`, section: "hardware",
      build: ({ session: s }) => {
        const values = s.trials[name];
        if (!values) return null;
        const known = s.correct.filter((i) => values[i] !== null);
        if (known.length < 2 || known.every((i) => values[i] === values[known[0]])) return null;
        const point = (i) => ({ x: values[i] * factor, y: s.scaled(s.values[i]), trial: s.trials.id[i], text: s.text(s.values[i]),
          configuration: model.configurationText(s.configuration(i)),
          limiter: s.trials.limiters?.[s.trials.limiter?.[i] ?? -1] ?? "not known" });
        const limited = name === "occupancy" && s.trials.limiter;
        const best = s.winner()?.i, bestByX = new Map();
        for (const i of known) {
          const before = bestByX.get(values[i]);
          if (before === undefined || s.better(s.values[i], s.values[before])) bestByX.set(values[i], i);
        }
        const envelope = [...bestByX.values()].sort((a, b) => values[a] - values[b]).map(point);
        const points = model.sample(known, most).map(point);
        const tips = [{ field: "x", title: axis, format: ".4~g" }, { field: "text", title: s.timed ? "time" : "value" }, { field: "trial" },
          ...(limited ? [{ field: "limiter", title: "limited by" }] : []), { field: "configuration" }];
        return {
          spec: {
            height: 220,
            encoding: { x: { field: "x", type: "quantitative", title: axis, scale: { zero: name !== "registers", nice: true }, axis: { grid: false } },
              y: warptune.logAxis("y", s.axis(), [...points, ...envelope].map((p) => p.y)), tooltip: tips },
            layer: [{ data: { name: "points" }, mark: { type: "point", ...warptune.cloud(points.length) },
              ...(limited ? { encoding: { color: { field: "limiter", type: "nominal", title: "limited by" } } } : {}) },
              { data: { name: "winner" }, mark: { type: "point", shape: "diamond", size: 120, color: "var(--c2)" } }],
          },
          data: { points, winner: best !== undefined && values[best] !== null ? [point(best)] : [] },
          summary: `${axis} from ${model.digits(envelope[0].x)} to ${model.digits(envelope.at(-1).x)}.`,
          note: (known.length > most ? `${most.toLocaleString("en")} of ${known.length.toLocaleString("en")} trials, evenly taken. ` : "") +
            `The diamond is the ${s.winner()?.settled ? "winner" : "best"}.`,
          table: { columns: [{ title: axis, number: true }, { title: `best ${s.axis()}`, number: true }, { title: "trial", number: true }],
            rows: envelope.map((p) => [model.digits(p.x), model.digits(p.y, 4), p.trial]) },
        };
      },
    });
})();
