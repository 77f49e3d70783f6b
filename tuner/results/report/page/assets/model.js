// What the page knows: the JSON document's columns behind a few questions, and numbers as people read them. Nothing in
// this file touches the page. Everything is computed from all trials; only clouds of points are thinned, in `sample`.
"use strict";
(() => {
  const units = [["ns", 1e-6], ["µs", 1e-3], ["ms", 1], ["s", 1e3]];
  const digits = (value, count = 3) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    if (value !== 0 && (Math.abs(value) < 1e-4 || Math.abs(value) >= 1e7)) return value.toExponential(count - 1);
    return Number(value.toPrecision(Math.max(count, Math.ceil(Math.log10(Math.abs(value) + 1))))).toLocaleString("en",
      { maximumFractionDigits: 9 });
  };
  // The unit in which a time is read: the largest that leaves at least one before the point.
  const unitOf = (ms) => units.findLast(([, factor]) => ms >= factor) ?? units[0];
  const durationText = (ms) => {
    if (ms === null || ms === undefined) return "–";
    const [name, factor] = unitOf(ms);
    const scaled = ms / factor;
    return `${scaled < 1000 ? Number(scaled.toPrecision(3)) >= 1000 ? "1,000" : scaled.toPrecision(3) : digits(scaled)} ${name}`;
  };
  const wallUnit = (seconds) => seconds >= 7200 ? ["h", 3600] : seconds >= 180 ? ["min", 60] : ["s", 1];
  const percent = (share, count = 2) => share === null || share === undefined ? "–" : `${digits(100 * share, count)} %`;
  const valueText = (value) => value === null || value === undefined ? "–" : String(value);
  const configurationText = (values) => Object.entries(values ?? {}).map(([name, value]) => `${name}=${value}`).join(" ");

  // A moment in the reader's local time, with its offset, as the program's own tables have it: "2026-11-22 14:05+01:00".
  const momentText = (iso) => {
    const moment = new Date(iso ?? NaN);
    if (Number.isNaN(moment.getTime())) return iso;
    const two = (number) => String(Math.floor(number)).padStart(2, "0");
    const east = -moment.getTimezoneOffset(), size = Math.abs(east);
    const zone = east === 0 ? "Z" : `${east < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
    return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())} ${two(moment.getHours())}:${two(moment.getMinutes())}${zone}`;
  };

  // Round numbers from low to high: powers of ten, with 2 and 5 between them where there are few, or more where there are
  // hardly any. An axis with a logarithmic scale has labels there.
  const logTicks = (low, high, most = 7) => {
    let ticks = [];
    for (const steps of [[1], [1, 3], [1, 2, 5], [1, 1.5, 2, 3, 5, 7], [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9]]) {
      const finer = [];
      for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
        for (const step of steps) finer.push(Number(`${step}e${power}`));
      const within = finer.filter((tick) => tick >= low * .999 && tick <= high * 1.001);
      if (within.length > most && ticks.length > 1) break;
      ticks = within;
    }
    return ticks.length > 1 ? sample(ticks, most) : [low, high].map((value) => Number(value.toPrecision(3)));
  };

  // How values lie between the least and the greatest: by their logarithms, which zero has none of, unless one is below
  // zero.
  const scaleOf = (values) => {
    const finite = values.filter(Number.isFinite), signed = finite.some((value) => value < 0);
    const known = signed ? finite : finite.filter((value) => value > 0);
    const low = known.reduce((a, b) => Math.min(a, b), Infinity), high = known.reduce((a, b) => Math.max(a, b), -Infinity);
    const to = signed ? (value) => value : Math.log10, from = signed ? (value) => value : (power) => 10 ** power;
    const wide = high > low ? to(high) - to(low) : 1;
    return { known, low, high, signed, share: (value) => (to(value) - to(low)) / wide, at: (share) => from(to(low) + share * wide) };
  };

  // Evenly spread over the list, first and last included.
  const sample = (list, most) => list.length <= most ? list
    : Array.from({ length: most }, (_, i) => list[Math.round(i * (list.length - 1) / (most - 1))]);
  const median = (list) => {
    if (!list.length) return null;
    const sorted = Float64Array.from(list).sort();
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  };
  const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

  class Session {
    constructor(json, outcomes) {
      this.json = json;
      this.outcomes = outcomes;
      this.trials = json.trials;
      this.count = (json.trials.id ?? []).length;
      this.parameters = json.parameters;
      this.key = json.session.key;
      this.timed = json.trials.time_ms !== null && json.session.objective === "time";
      this.objective = json.session.objective;
      this.values = (this.timed ? json.trials.time_ms : json.trials.value) ?? [];
      this.correct = [];
      for (let i = 0; i < this.count; ++i)
        if (this.trials.outcome[i] === 0 && this.values[i] !== null && this.values[i] !== undefined) this.correct.push(i);
      const middle = median(this.correct.map((i) => this.values[i]));
      [this.unit, this.factor] = this.timed ? unitOf(this.best()?.value ?? middle ?? 1) : [this.objective, 1];
      this.index = new Map((json.trials.id ?? []).map((id, i) => [id, i]));
    }
    get maximised() { return this.json.maximised; }
    better(a, b) { return this.maximised ? a > b : a < b; }
    // Of a figure of this session's objective: in the unit that its axes have.
    scaled(value) { return value / this.factor; }
    axis() { return this.timed ? `Time (${this.unit})` : this.objective; }
    text(value) { return this.timed ? durationText(value) : `${digits(value)} ${this.objective}`; }
    best() {
      let best = null;
      for (const i of this.correct) if (best === null || this.better(this.values[i], best.value)) best = { i, value: this.values[i] };
      return best;
    }
    // The settled winner if there is one, else the best so far.
    winner() {
      const chosen = this.json.winner;
      if (chosen) return { i: this.index.get(chosen.trial), value: this.timed ? chosen.time_ms : chosen.value, settled: true };
      return this.best();
    }
    // As the search measured it, like all trials; what it settled at is the finals', of another time.
    found(id) { return id === undefined ? undefined : this.values[this.index.get(id)]; }
    // Where the best fell: [{i, value}], in the order of the trials, as the search saw it.
    improvements() {
      const steps = [];
      for (const i of this.correct) {
        const value = this.values[i];
        if (!steps.length || this.better(value, steps.at(-1).value)) steps.push({ i, value });
      }
      return steps;
    }
    seconds(i) { return this.trials.seconds?.[i] ?? 0; }
    parameter(p, i) {
      const index = p.trials[i];
      return index < 0 ? null : p.values[index];
    }
    configuration(i) {
      return Object.fromEntries(this.parameters.map((p) => [p.name, this.parameter(p, i)]));
    }
    // Those with more than one value tried.
    varied() { return this.parameters.filter((p) => p.values.length > 1); }
    outcome(i) { return this.outcomes[this.trials.outcome[i]].replaceAll("_", " "); }
    problem() { return { ...this.key.problem_size, ...this.key.variants }; }
    // What tells this session from the others of a page.
    label() { return this.shortLabel ?? `session ${this.json.reference}`; }
  }

  // Names by what differs between the sessions: device, size, strategy, driver …; the number where nothing does.
  const nameSessions = (sessions) => {
    const aspects = [
      (s) => s.key.kernel, (s) => s.key.device.name, (s) => configurationText(s.problem()), (s) => s.json.session.strategy,
      (s) => s.key.device.driver && `driver ${s.key.device.driver}`, (s) => s.key.compiler,
      (s) => s.key.restrictions.join("; "), (s) => s.json.session.name,
    ];
    const telling = aspects.filter((of) => new Set(sessions.map((s) => of(s) ?? "")).size > 1);
    for (const s of sessions) s.shortLabel = telling.map((of) => of(s)).filter(Boolean).join(", ") || `session ${s.json.reference}`;
    const seen = new Map();
    for (const s of sessions) seen.set(s.shortLabel, (seen.get(s.shortLabel) ?? 0) + 1);
    for (const s of sessions) if (seen.get(s.shortLabel) > 1) s.shortLabel += ` (${s.json.reference})`;
  };

  const read = (data) => {
    if (data.schema !== "warptune-report/1") throw new Error(`this page cannot read ${data.schema}`);
    const sessions = data.sessions.map((json) => new Session(json, data.outcomes));
    nameSessions(sessions);
    return { sessions, toolVersion: data.tool_version };
  };

  window.warptune = {
    model: { read, sample, scaleOf, logTicks, median, quantile, digits, percent, durationText, momentText, valueText, configurationText, unitOf, wallUnit },
    charts: [], views: new Map(),
  };
})();
