// The page for operators, which shows the live state of the gateway.

import { effect } from "@preact/signals";
import { english } from "../kit/english.ts";
import { commands } from "../kit/palette.tsx";
import { Lost } from "../kit/parts.tsx";
import { usePolling } from "../kit/polling.ts";
import { route } from "../kit/router.ts";
import { Brand, type NavigationGroup, Shell, start } from "../kit/shell.tsx";
import { isPaused, look, lookAt, nameOf, period } from "./gateway.ts";
import { Overview } from "./overview.tsx";
import { RoutesView } from "./routes.tsx";
import { linkOf, StreamView } from "./streams.tsx";

const groups: readonly NavigationGroup[] = [
  {
    title: "",
    items: [
      { text: "Overview", view: "", icon: "overview", also: ["stream"] },
      { text: "Routes", view: "routes", icon: "routes" },
    ],
  },
];

effect(() => {
  const streams = look.value?.streams ?? [];
  commands.value = [
    { text: "Overview", kind: "view", run: "#/" },
    { text: "Routes", kind: "view", run: "#routes" },
    ...streams.map((state) => ({
      text: `${state.api} / ${nameOf(state)}`,
      kind: "stream",
      run: linkOf(state),
    })),
  ];
});

function View({ view, name }: { readonly view: string; readonly name: string }) {
  if (view === "routes") return <RoutesView />;
  if (view === "stream") return <StreamView name={name} />;
  return view === "" ? <Overview /> : <Lost />;
}

function Page() {
  usePolling(lookAt, period, [], !isPaused.value);
  const [view = "", name = ""] = route.value;
  const { info } = look.value ?? {};
  return (
    <Shell
      brand={<Brand name="Sluice" product="Gateway" />}
      groups={groups}
      foot={info !== undefined && <span class="only-wide">Version {info.version}</span>}
    >
      <View view={view} name={name} />
    </Shell>
  );
}

start(<Page />, english);
