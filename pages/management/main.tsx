// The page of the management service.

import { effect } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { english } from "../kit/english.ts";
import { Form, TextField } from "../kit/forms.tsx";
import { commands } from "../kit/palette.tsx";
import { Lost } from "../kit/parts.tsx";
import { linkTo, renameRoute, route } from "../kit/router.ts";
import { Brand, type NavigationItem, Shell, start } from "../kit/shell.tsx";
import { isSignOnOnly, SignOnLink } from "../kit/sign-on.tsx";
import { attempt } from "../kit/toasts.tsx";
import { ApiList } from "./api-list.tsx";
import { ApiView } from "./api-view.tsx";
import { AuditView } from "./audit-log.tsx";
import { DeploymentsView } from "./deployments.tsx";
import { isChanged, mayLeave } from "./draft.ts";
import { enter, isEntered, leaveService, resumeSignOn, visitor } from "./service.ts";
import { UsersView } from "./users.tsx";

const items: readonly NavigationItem[] = [
  { text: "APIs", view: "", icon: "streams", also: ["api", "new"] },
  { text: "Deployments", view: "deployments", icon: "rocket" },
  { text: "Users", view: "users", icon: "people" },
  { text: "Audit log", view: "audit", icon: "list" },
];

effect(() => {
  commands.value = !isEntered.value
    ? []
    : [
        ...items.map(({ text, view }) => ({ text, kind: "view", run: linkTo(view) })),
        { text: "New API", kind: "action", run: "#/new" },
        { text: leaving(), kind: "action", run: forget },
      ];
});

function leaving(): string {
  return visitor.value === "" ? "Forget the key" : "Log out";
}

async function forget(): Promise<void> {
  if (!(await mayLeave())) return;
  await leaveService(() => {
    isChanged.value = false;
  });
}

function Door() {
  return (
    <div class="door">
      <header>
        <Brand name="Sluice" product="Management" />
      </header>
      <main>
        <div class="card">
          <h1 class="hidden">Management</h1>
          <SignOnLink path="sign-in" />
          {isSignOnOnly || (
            <Form id="enter" submit="Show the APIs" send={({ key = "" }) => enter(key)}>
              <TextField
                label="API key"
                name="key"
                type="password"
                note="It is kept in the memory of this page only."
                isRequired
              />
            </Form>
          )}
        </div>
      </main>
    </div>
  );
}

/** Returns the route to show, after the user has agreed to discard unsaved changes. */
function useView(): readonly string[] {
  const [shown, setShown] = useState(route.value);
  const wanted = route.value;
  const isSame = wanted.join("/") === shown.join("/");
  useEffect(() => {
    if (isSame) return;
    // A new API that was saved has its own address now, and stays on screen.
    void mayLeave().then((may) => (may ? setShown(wanted) : renameRoute(...shown)));
  }, [wanted.join("/")]);
  return shown;
}

function View() {
  const [view = "", name] = useView();
  if (view === "new") return <ApiView key="new" id={undefined} />;
  if (view === "api" && name !== undefined) return <ApiView key={name} id={name} />;
  if (view === "deployments") return <DeploymentsView />;
  if (view === "users") return <UsersView />;
  if (view === "audit") return <AuditView />;
  return view === "" ? <ApiList /> : <Lost />;
}

function Page() {
  if (!isEntered.value) return <Door />;
  return (
    <Shell
      brand={<Brand name="Sluice" product="Management" />}
      groups={[{ title: "", items }]}
      foot={
        <>
          <span id="who">{visitor.value}</span>
          <button type="button" class="small" onClick={() => attempt(forget)}>
            {leaving()}
          </button>
        </>
      }
    >
      <View />
    </Shell>
  );
}

window.addEventListener("beforeunload", (event) => {
  if (isChanged.value) event.preventDefault();
});
start(<Page />, english);
void attempt(resumeSignOn);
