// The page at `/portal/`: administrators enter a token, developers log in.

import { effect } from "@preact/signals";
import { commands } from "../kit/palette.tsx";
import { Lost } from "../kit/parts.tsx";
import { linkTo, route } from "../kit/router.ts";
import { type NavigationGroup, type NavigationItem, Shell, start } from "../kit/shell.tsx";
import { attempt, orSay } from "../kit/toasts.tsx";
import { AccountDoor, AccountView, isAccountView, readAbilities } from "./accounts.tsx";
import { BrandView } from "./administrator-brand.tsx";
import { AdministratorCatalogue, ConfigurationView } from "./administrator-catalogue.tsx";
import { DevelopersView, PoliciesView } from "./administrator-records.tsx";
import { AdministratorRequests, waitingRequests } from "./administrator-requests.tsx";
import { TextsView } from "./administrator-texts.tsx";
import { AppsView } from "./apps.tsx";
import { loadBrand, PortalBrand } from "./brand.tsx";
import { CatalogueView, KeysView, OwnRequestsView } from "./developer-views.tsx";
import { DocumentationView } from "./documentation.tsx";
import { Door } from "./door.tsx";
import { leave, person, resumeSession } from "./interface.ts";
import { MailsView } from "./mails.tsx";
import { TextView, textGroups } from "./texts.tsx";

const ofDevelopers: readonly NavigationItem[] = [
  { text: "Catalogue", view: "", icon: "book", also: ["docs"] },
  { text: "Your requests", view: "requests", icon: "inbox" },
  { text: "Your keys", view: "keys", icon: "key" },
  { text: "Apps and webhooks", view: "apps", icon: "apps" },
  { text: "Account", view: "account", icon: "people" },
];
const ofAdministrators: readonly NavigationItem[] = [
  { text: "Requests", view: "", icon: "inbox" },
  { text: "Developers", view: "developers", icon: "people" },
  { text: "Policies", view: "policies", icon: "shield" },
  { text: "Catalogue", view: "catalogue", icon: "book" },
  { text: "E-mails", view: "mails", icon: "page" },
  { text: "Pages", view: "pages", icon: "list" },
  { text: "Look", view: "look", icon: "overview" },
  { text: "Configuration", view: "configuration", icon: "gear" },
];

effect(() => {
  const items =
    person.value === undefined ? [] : person.value.kind === "developer" ? ofDevelopers : ofAdministrators;
  commands.value =
    items.length === 0
      ? []
      : [
          ...items.map(({ text, view }) => ({ text, kind: "view", run: linkTo(view) })),
          { text: "Log out", kind: "action", run: leave },
        ];
});

function groupsOf(kind: "developer" | "administrator"): readonly NavigationGroup[] {
  const items =
    kind === "developer"
      ? ofDevelopers
      : ofAdministrators.map((item) => (item.view === "" ? { ...item, count: waitingRequests.value } : item));
  return [{ title: "", items }, ...(kind === "developer" ? textGroups() : [])];
}

function DeveloperPage() {
  const [view = "", name = ""] = route.value;
  if (view === "requests") return <OwnRequestsView />;
  if (view === "keys") return <KeysView />;
  if (view === "apps") return <AppsView />;
  if (view === "account") return <AccountView />;
  if (view === "text") return <TextView slug={name} />;
  if (view === "docs") return <DocumentationView key={name} policy={name} />;
  return view === "" ? <CatalogueView /> : <Lost />;
}

function AdministratorPage() {
  const [view = ""] = route.value;
  if (view === "developers") return <DevelopersView />;
  if (view === "policies") return <PoliciesView />;
  if (view === "catalogue") return <AdministratorCatalogue />;
  if (view === "mails") return <MailsView />;
  if (view === "pages") return <TextsView />;
  if (view === "look") return <BrandView />;
  if (view === "configuration") return <ConfigurationView />;
  return view === "" ? <AdministratorRequests /> : <Lost />;
}

function Page() {
  const who = person.value;
  const [view = "", token = ""] = route.value;
  // A link in an e-mail counts also with a session.
  if (isAccountView(view) && (who === undefined || token !== ""))
    return <AccountDoor key={view} view={view} token={token} />;
  if (who === undefined) return <Door />;
  return (
    <Shell
      brand={<PortalBrand />}
      groups={groupsOf(who.kind)}
      foot={
        <>
          <span id="who">{who.kind === "developer" ? who.name : "Administrator"}</span>
          <button id="leave" type="button" class="small" onClick={() => attempt(leave)}>
            Log out
          </button>
        </>
      }
    >
      {who.kind === "developer" ? <DeveloperPage /> : <AdministratorPage />}
    </Shell>
  );
}

start(<Page />);
void attempt(() => Promise.all([resumeSession(), readAbilities()]));
void orSay(loadBrand);
