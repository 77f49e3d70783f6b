// How near the trials come to what the device can do: the roofline where a run's operations and bytes are both stated,
// else its bandwidth or its arithmetic alone; and the winner's share of each roof.
"use strict";
(() => {
  const { model, charts } = warptune;
  const most = 1500;
  const prefixes = [["", 1], ["k", 1e3], ["M", 1e6], ["G", 1e9], ["T", 1e12], ["P", 1e15]];
  const prefixOf = (value) => prefixes.findLast(([, factor]) => value >= factor) ?? prefixes[0];
  const amount = (work, i) => Array.isArray(work) ? work[i] : work;
  const timesOf = (s) => s.trials.time_ms ?? [];
  const tips = (title) => [{ field: "trial" }, { field: "text", title: "time" }, { field: "rate", title }, { field: "configuration" }];
  const rateText = (rate, unit) => {
    const [prefix, factor] = prefixOf(rate);
    return `${model.digits(rate / factor)} ${prefix}${unit}`;
  };
  const point = (s, i, x, y, rate) => ({ x, y, rate, trial: s.trials.id[i], text: model.durationText(timesOf(s)[i]),
    configuration: model.configurationText(s.configuration(i)) });
  const winnerOf = (s, points) => {
    const i = s.winner()?.i;
    return i === undefined ? [] : points.filter((p) => p.trial === s.trials.id[i]);
  };
  // Evenly taken, and the winner in any case.
  const shown = (s) => {
    const known = s.correct.filter((i) => timesOf(s)[i] > 0), best = s.winner()?.i;
    const list = model.sample(known, most);
    return { known, list: best === undefined || list.includes(best) ? list : [...list, best] };
  };
  const thinned = (known) => known.length > most ? ` ${most.toLocaleString("en")} of ${known.length.toLocaleString("en")} trials, evenly taken.` : "";
  const rateTable = (points, title) => ({ columns: [{ title: "trial", number: true }, { title: "time", number: true }, { title, number: true }, { title: "configuration" }],
    rows: [...points].sort((a, b) => b.y - a.y).slice(0, 50).map((p) => [p.trial, p.text, p.rate, p.configuration]) });

  charts.push({
    id: "roofline", title: "Roofline", section: "hardware", wide: true,
    build: ({ session: s }) => {
      const roofline = s.json.roofline;
      if (!roofline || roofline.flops === null || roofline.bytes === null) return null;
      const { known, list } = shown(s), raw = list.map((i) => ({ i, flops: amount(roofline.flops, i), bytes: amount(roofline.bytes, i) }))
        .filter(({ flops, bytes }) => flops > 0 && bytes > 0);
      const ceiling = roofline.roofs.find((roof) => roof.name === roofline.arithmetic), bandwidths = roofline.roofs.filter((roof) => roof.bytes && roof.name !== "shared");
      if (!raw.length || !ceiling && !bandwidths.length) return null;
      const top = ceiling?.value ?? Math.max(...raw.map(({ i, flops }) => flops / timesOf(s)[i] * 1e3));
      const [prefix, factor] = prefixOf(top), title = `Performance (${prefix}FLOP/s)`;
      const points = raw.map(({ i, flops, bytes }) => {
        const rate = flops / timesOf(s)[i] * 1e3;
        return point(s, i, flops / bytes, rate / factor, rateText(rate, "FLOP/s"));
      });
      const ridges = ceiling ? bandwidths.map((roof) => ceiling.value / roof.value) : [];
      const low = Math.min(...points.map((p) => p.x), ...ridges) / 4, high = Math.max(...points.map((p) => p.x), ...ridges) * 4;
      const lines = [];
      for (const roof of bandwidths) {
        const end = ceiling ? Math.min(high, ceiling.value / roof.value) : high;
        for (const x of [low, end]) lines.push({ x, y: roof.value * x / factor, roof: `${roof.title}, ${rateText(roof.value, "B/s")}` });
      }
      if (ceiling)
        for (const x of [bandwidths.length ? Math.min(...ridges) : low, high]) lines.push({ x, y: ceiling.value / factor, roof: `${ceiling.title}, ${rateText(ceiling.value, "FLOP/s")}` });
      return {
        spec: {
          height: 320,
          encoding: { x: warptune.logAxis("x", "Arithmetic intensity (FLOP/byte)", [low, high], { grid: false }),
            y: warptune.logAxis("y", title, [...points, ...lines].map((p) => p.y)) },
          layer: [
            { data: { name: "roofs" }, mark: { type: "line", strokeWidth: 1.5 }, encoding: { color: { field: "roof", type: "nominal", title: null }, tooltip: [{ field: "roof" }] } },
            { data: { name: "points" }, mark: { type: "point", ...warptune.cloud(points.length) }, encoding: { tooltip: tips("performance") } },
            { data: { name: "winner" }, mark: { type: "point", shape: "diamond", size: 120, color: "var(--c2)" }, encoding: { tooltip: tips("performance") } },
          ],
        },
        data: { points, roofs: lines, winner: winnerOf(s, points) },
        summary: `${points.length} trials under ${[...new Set(lines.map((line) => line.roof))].join("; ")}.`,
        note: `Work as the manifest states it: the least a run has to do. Roofs as they were measured on the device.${thinned(known)}`,
        table: rateTable(points, "performance"),
      };
    },
  });

  charts.push({
    id: "rates", title: "Bandwidth or arithmetic of all trials", section: "hardware",
    build: ({ session: s }) => {
      const roofline = s.json.roofline;
      if (!roofline || (roofline.flops === null) === (roofline.bytes === null)) return null;
      const work = roofline.bytes ?? roofline.flops, unit = roofline.bytes !== null ? "B/s" : "FLOP/s";
      const roofs = roofline.roofs.filter((roof) => roofline.bytes !== null ? roof.bytes && roof.name !== "shared" : roof.name === roofline.arithmetic);
      const { known, list } = shown(s), rate = (i) => amount(work, i) / timesOf(s)[i] * 1e3;
      const sorted = list.filter((i) => amount(work, i) > 0).sort((a, b) => rate(b) - rate(a));
      if (!sorted.length) return null;
      const [prefix, factor] = prefixOf(rate(sorted[0])), title = `${roofline.bytes !== null ? "Bandwidth" : "Performance"} (${prefix}${unit})`;
      const points = sorted.map((i, rank) => point(s, i, rank + 1, rate(i) / factor, rateText(rate(i), unit)));
      const lines = roofs.map((roof) => ({ y: roof.value / factor, roof: `${roof.title}, ${rateText(roof.value, unit)}` }));
      return {
        spec: {
          encoding: { y: warptune.logAxis("y", title, [...points, ...lines].map((p) => p.y)) },
          layer: [
            { data: { name: "roofs" }, mark: { type: "rule", strokeWidth: 1.5 }, encoding: { color: { field: "roof", type: "nominal", title: null }, tooltip: [{ field: "roof" }] } },
            { data: { name: "points" }, mark: { type: "point", ...warptune.cloud(points.length) }, encoding: { x: { field: "x", type: "quantitative", title: "Trials, fastest first", axis: { grid: false } }, tooltip: tips("rate") } },
          ],
        },
        data: { points, roofs: lines },
        summary: `From ${points.at(-1).rate} to ${points[0].rate}; ${lines.map((line) => line.roof).join("; ")}.`,
        note: `Work as the manifest states it: the least a run has to do. Roofs as they were measured on the device.${thinned(known)}`,
        table: rateTable(points, "rate"),
      };
    },
  });

  charts.push({
    id: "roof-shares", title: "Share of each roof", section: "hardware",
    build: ({ session: s }) => {
      const roofline = s.json.roofline;
      if (!roofline?.winner) return null;
      const rows = [["winner", roofline.winner], ["default", roofline.default]].filter(([, reached]) => reached).flatMap(([which, reached]) =>
        reached.roofs.map((one) => ({ which, roof: one.title, share: 100 * one.share, text: model.percent(one.share, 3),
          rate: rateText(one.rate, roofline.roofs.find((roof) => roof.name === one.roof)?.bytes ? "B/s" : "FLOP/s") })));
      return {
        spec: {
          data: { name: "shares" }, height: 34 * new Set(rows.map((row) => row.roof)).size, mark: { type: "bar" },
          encoding: {
            y: { field: "roof", type: "nominal", title: null, sort: null }, yOffset: { field: "which", sort: ["winner", "default"] },
            x: { field: "share", type: "quantitative", title: "Share of the roof (%)", scale: { domain: [0, Math.max(100, ...rows.map((row) => row.share))] } },
            color: { field: "which", type: "nominal", title: null, scale: { domain: ["winner", "default"], range: ["var(--c1)", "var(--c2)"] } },
            tooltip: [{ field: "which" }, { field: "roof" }, { field: "rate" }, { field: "text", title: "share" }],
          },
        },
        data: { shares: rows },
        summary: rows.map((row) => `${row.which}: ${row.text} of ${row.roof}`).join("; "),
        note: roofline.winner.bound ? `The winner is bound by ${roofline.winner.bound}.` : "No roof binds the winner: it waits for latency, launches or too few threads.",
        table: { columns: [{ title: "which" }, { title: "roof" }, { title: "rate", number: true }, { title: "share", number: true }],
          rows: rows.map((row) => [row.which, row.roof, row.rate, row.text]) },
      };
    },
  });
})();
