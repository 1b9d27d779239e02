import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { compileDocuments } from "../../compiler/compile.ts";
import { metricTable, prometheusName } from "../../runtime/analytics/metric-table.ts";
import { projectRoot } from "../harness/directories.ts";
import { findProgram, run } from "../harness/processes.ts";

const folder = join(projectRoot, "deploy/observability");
const read = (file: string) => readFileSync(join(folder, file), "utf8");

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly summary: string; readonly runbook: string };
    }[];
  }[];
}

const dashboard: Dashboard = JSON.parse(read("grafana-dashboard.json"));
const rules: Rules = parse(read("alerts.yaml"));
const alerts = rules.groups.flatMap((group) => group.rules);

/** Labels of every series of a gateway, by its name in Prometheus. */
const exported = new Map<string, readonly string[]>();
for (const definition of Object.values(metricTable)) {
  const name = prometheusName(definition);
  if (definition.kind !== "histogram") exported.set(name, definition.labels);
  else {
    exported.set(`${name}_bucket`, [...definition.labels, "le"]);
    for (const suffix of ["_sum", "_count"]) exported.set(name + suffix, definition.labels);
  }
}
// Recorded by inputs with a lease, whatever exporters a set has.
exported.set("sluice_lease_held", ["lease"]);
// By what shows certificates.
exported.set("sluice_tls_certificate_expiry_timestamp_seconds", ["file"]);
// By the store of keys, and by the Redis that counts limits.
for (const name of ["sluice_store_up", "sluice_store_writable", "sluice_redis_up"]) exported.set(name, []);
/** What Prometheus adds to series, and workers to theirs. */
const added = ["instance", "job", "worker"];

/** What a query asks for that is not there: numbers, or labels that a number of it lacks. */
function mistakesIn(query: string): readonly string[] {
  const names = query.match(/\b(?:sluice|process)_\w+/g) ?? [];
  const selectors = [...query.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, name = "", inside = ""]) =>
    [...inside.matchAll(/(\w+)\s*=~?/g)].map(([, label = ""]) => ({ name, label })),
  );
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = ""]) => labels.split(/,\s*/));
  const has = (name: string, label: string) =>
    added.includes(label) || exported.get(name)?.includes(label) !== false;
  return [
    ...names.filter((name) => !exported.has(name)),
    ...selectors.filter(({ name, label }) => !has(name, label)).map(({ name, label }) => `${name}{${label}}`),
    ...names.flatMap((name) =>
      grouped.filter((label) => !has(name, label)).map((label) => `${name} by ${label}`),
    ),
  ];
}

test("the set compiles with its exporter", async () => {
  const { files, diagnostics } = await compileDocuments(
    [join(projectRoot, "examples/operations/gateway.yaml")],
    {
      packageRoot: projectRoot,
    },
  );
  assert.match(files?.get("gateway.ts") ?? JSON.stringify(diagnostics), "observe(...measure(prometheus()))");
});

test("control: unknown metrics and labels are detected", () => {
  assert.equal(mistakesIn("sum(rate(sluice_request_total[5m]))"), ["sluice_request_total"]);
  assert.equal(mistakesIn('sluice_clients{status="failed"}'), ["sluice_clients{status}"]);
  assert.equal(mistakesIn("sum by (api, route) (sluice_clients)"), ["sluice_clients by route"]);
  assert.equal(mistakesIn("sum by (le, api) (rate(sluice_delivery_duration_seconds_bucket[5m]))"), []);
});

test("the dashboard queries exported metrics", () => {
  const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  assert.ok(queries.length > 20);
  assert.equal(queries.flatMap(mistakesIn), []);
  const variables = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);
  for (const definition of variables) {
    const [, name = "", label = ""] = /^label_values\((\w+)(?:\{[^}]*\})?, (\w+)\)$/.exec(definition) ?? [];
    assert.ok(exported.get(name)?.includes(label), definition);
  }
  const used = [...queries.join(" ").matchAll(/\$(\w+)/g)].map(([, name]) => name);
  const known = [...dashboard.templating.list.map(({ name }) => name), "__rate_interval"];
  assert.equal(
    used.filter((name) => name === undefined || !known.includes(name)),
    [],
  );
});

test("the dashboard shows every exported metric except the process start time", () => {
  const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join(" ");
  const missing = Object.values(metricTable)
    .map(prometheusName)
    .filter((name) => !queries.includes(name));
  assert.equal(missing, ["process_start_time_seconds"]);
});

test("a share of something that has not happened is 0 instead of no data", () => {
  const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const shares = queries.filter((query) => query.includes(" / "));
  assert.ok(shares.length > 0);
  for (const share of shares) assert.match(share, / or vector\(0\)\) \/ /);
});

test("legends use only labels that their queries keep", () => {
  for (const { title, targets = [] } of dashboard.panels) {
    for (const { expr, legendFormat } of targets) {
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      const [, kept = ""] = /\bby \(([^)]*)\)/.exec(expr) ?? [];
      const labels = kept === "" ? added : kept.split(/,\s*/);
      assert.equal(
        named.filter((label) => label === undefined || !labels.includes(label)),
        [],
        title,
      );
    }
  }
});

test("panels have unique ids and do not overlap", () => {
  const { panels } = dashboard;
  assert.is(new Set(panels.map(({ id }) => id)).size, panels.length);
  for (const [index, { gridPos: a, title }] of panels.entries()) {
    assert.ok(a.x + a.w <= 24, title);
    for (const { gridPos: b } of panels.slice(index + 1)) {
      const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
      assert.ok(apart, title);
    }
  }
});

test("alerts query exported metrics, and their summaries use only labels that the query keeps", () => {
  for (const { alert, expr, annotations } of alerts) {
    assert.equal(mistakesIn(expr), [], alert);
    const named = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    const [, kept = "instance"] = /\bby \(([^)]*)\)/.exec(expr) ?? [];
    for (const label of named) assert.ok(kept.split(/,\s*/).includes(label ?? ""), `${alert}: ${label}`);
  }
});

test("every alert has a runbook entry, and every entry an alert", () => {
  const runbook = readFileSync(join(projectRoot, "docs/runbook.md"), "utf8");
  const entries = [...runbook.matchAll(/^## (\w+)\n\n(?=\S)/gm)].map(([, title]) => title);
  assert.equal(
    entries,
    alerts.map(({ alert }) => alert),
  );
  for (const { alert, annotations } of alerts)
    assert.is(annotations.runbook, `docs/runbook.md#${alert.toLowerCase()}`);
});

const promtool = findProgram("promtool");
const isRequired = process.env.CI === "true" || process.env.SLUICE_REQUIRE_BROKERS === "1";
const promtoolTest = promtool === undefined && !isRequired ? test.skip : test;

promtoolTest("promtool takes the rules, and each alert fires where it should and only there", async () => {
  assert.ok(promtool, "promtool is not installed; Debian's package prometheus has it");
  const checked = await run(promtool, ["check", "rules", "alerts.yaml"], { cwd: folder });
  assert.is(checked.status, 0, checked.stdout + checked.stderr);
  const tested = await run(promtool, ["test", "rules", "alerts.test.yaml"], { cwd: folder });
  assert.is(tested.status, 0, tested.stdout + tested.stderr);
  const covered = read("alerts.test.yaml");
  for (const { alert } of alerts)
    assert.match(covered, new RegExp(`alertname: ${alert}\\n\\s+exp_alerts`), alert);
});

test.run();
