// Every value of a plan, whatever part of it holds it. A part without a row here does not compile, so that none is
// forgotten by those who ask what a whole gateway reads.

import type { ApiPlan, Plan, SettingsPlan, StreamPlan, ValuePlan } from "../plan/plan.ts";
import { valuesWithin } from "../plan/values.ts";

/** The values directly in one property of a part; those of properties that are known at build time are none. */
type Rows<T> = { readonly [K in keyof Required<T>]: (part: T) => readonly (ValuePlan | undefined)[] };

const none = () => [];

const ofSettings: Rows<SettingsPlan> = {
  streaming: none,
  listen: ({ listen }) => [listen],
  adminListen: ({ adminListen }) => [adminListen],
  tls: ({ tls }) => [tls],
  trustedProxies: ({ trustedProxies }) => [trustedProxies],
  limits: ({ limits }) => [limits],
  counters: ({ counters }) => [counters],
  leases: ({ leases }) => [leases],
  keys: ({ keys }) => [keys],
  oauth: ({ oauth }) => [oauth],
  store: ({ store }) => [store?.address],
  portal: ({ portal }) => [portal],
  analytics: ({ analytics }) => analytics.exporters.map(({ options }) => options),
};

const ofApi: Rows<ApiPlan> = {
  id: none,
  name: none,
  file: none,
  listenPath: none,
  logged: none,
  host: ({ host }) => [host],
  internal: none,
  versions: ({ versions }) => [versions?.options],
  upstream: ({ upstream }) => [upstream],
  upstreamOrigin: none,
  cors: ({ cors }) => [cors],
  protections: ({ protections }) => protections.map(({ options }) => options),
  access: none,
  streams: ({ streams }) => streams.flatMap((stream) => directlyIn(stream, ofStream)),
};

const ofStream: Rows<StreamPlan> = {
  name: none,
  origin: none,
  input: ({ input }) => [input],
  pipeline: ({ pipeline }) => pipeline,
  threads: none,
  output: ({ output }) => [output],
  errorHandling: ({ errorHandling }) => [errorHandling],
  resources: ({ resources }) => resources.map(({ component }) => component),
  variables: none,
  spread: none,
  leased: none,
  routes: none,
  messages: none,
};

/** All values of a plan, outer ones first. */
export function valuesOfPlan({ settings, apis }: Plan): readonly ValuePlan[] {
  const outer = [...directlyIn(settings, ofSettings), ...apis.flatMap((api) => directlyIn(api, ofApi))];
  return outer.flatMap((value) => [...valuesWithin(value)]);
}

function directlyIn<T>(part: T, rows: Rows<T>): readonly ValuePlan[] {
  // The keys of a mapped type, which have no index signature.
  const values = Object.values<(part: T) => readonly (ValuePlan | undefined)[]>(rows).flatMap((row) =>
    row(part),
  );
  return values.filter((value) => value !== undefined);
}
