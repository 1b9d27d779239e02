// The page at `/portal/`: administrators enter a token, developers log in.

import { effect } from "@preact/signals";
import { Awaited, useFetched } from "../kit/fetched.tsx";
import { commands } from "../kit/palette.tsx";
import { Lost } from "../kit/parts.tsx";
import { linkTo, route } from "../kit/router.ts";
import { type NavigationGroup, type NavigationItem, Shell, start } from "../kit/shell.tsx";
import { attempt, orSay } from "../kit/toasts.tsx";
import { AccountDoor, AccountView, isAccountView, readAbilities } from "./accounts.tsx";
import { BrandView } from "./administrator-brand.tsx";
import { AdministratorCatalogue } from "./administrator-catalogue.tsx";
import { ConfigurationView } from "./administrator-configuration.tsx";
import { LettersView } from "./administrator-letters.tsx";
import { DevelopersView, PoliciesView } from "./administrator-records.tsx";
import { AdministratorRequests, waitingRequests } from "./administrator-requests.tsx";
import { AdministratorTeams } from "./administrator-teams.tsx";
import { TextsView } from "./administrator-texts.tsx";
import { AppsView } from "./apps.tsx";
import { AuditLogView } from "./audit-log.tsx";
import { loadBrand, PortalBrand } from "./brand.tsx";
import { CatalogueView, KeysView, OwnRequestsView } from "./developer-views.tsx";
import { DocumentationView } from "./documentation.tsx";
import { Door } from "./door.tsx";
import { leave, person, resumeSession } from "./interface.ts";
import { adoptLanguage, LanguageSwitch, loadLanguage } from "./language.tsx";
import { MailsView } from "./mails.tsx";
import { t } from "./messages.ts";
import { OfTeam } from "./owner.tsx";
import { readTeam, TeamsView, TeamView, teamGroups } from "./teams.tsx";
import { TextView, textGroups } from "./texts.tsx";

const ofDevelopers = (): readonly NavigationItem[] => [
  { text: t("word.catalogue"), view: "", icon: "book", also: ["docs"] },
  { text: t("nav.requests"), view: "requests", icon: "inbox" },
  { text: t("nav.keys"), view: "keys", icon: "key" },
  { text: t("nav.apps"), view: "apps", icon: "apps" },
  { text: t("word.teams"), view: "teams", icon: "people", also: ["team"] },
  { text: t("nav.account"), view: "account", icon: "people" },
];
const ofAdministrators = (): readonly NavigationItem[] => [
  { text: t("word.requests"), view: "", icon: "inbox" },
  { text: t("word.developers"), view: "developers", icon: "people" },
  { text: t("word.teams"), view: "teams", icon: "people" },
  { text: t("word.policies"), view: "policies", icon: "shield" },
  { text: t("word.catalogue"), view: "catalogue", icon: "book" },
  { text: t("word.mails"), view: "mails", icon: "page" },
  { text: t("letters.title"), view: "letters", icon: "page" },
  { text: t("word.pages"), view: "pages", icon: "list" },
  { text: t("nav.look"), view: "look", icon: "overview" },
  { text: t("nav.configuration"), view: "configuration", icon: "gear" },
  { text: t("nav.audit"), view: "audit", icon: "list" },
];

effect(() => {
  const items =
    person.value === undefined ? [] : person.value.kind === "developer" ? ofDevelopers() : ofAdministrators();
  commands.value =
    items.length === 0
      ? []
      : [
          ...items.map(({ text, view }) => ({ text, kind: t("palette.view"), run: linkTo(view) })),
          { text: t("nav.logOut"), kind: t("palette.action"), run: leave },
        ];
});

function groupsOf(kind: "developer" | "administrator"): readonly NavigationGroup[] {
  const items =
    kind === "developer"
      ? ofDevelopers()
      : ofAdministrators().map((item) =>
          item.view === "" ? { ...item, count: waitingRequests.value } : item,
        );
  return [
    { title: "", items },
    ...(kind === "developer" ? [...teamGroups(route.value), ...textGroups()] : []),
  ];
}

function DeveloperPage() {
  const [view = "", name = "", part = ""] = route.value;
  if (view === "team")
    return part === "" ? <TeamView id={name} /> : <TeamPage key={name} id={name} part={part} />;
  if (view === "teams") return <TeamsView />;
  if (view === "account") return <AccountView />;
  if (view === "text") return <TextView slug={name} />;
  if (view === "docs") return <DocumentationView key={name} policy={name} />;
  return <HeldView view={view === "catalogue" ? "lost" : view || "catalogue"} />;
}

/** Shows the records of a developer or a team. */
function HeldView({ view }: { readonly view: string }) {
  if (view === "requests") return <OwnRequestsView />;
  if (view === "keys") return <KeysView />;
  if (view === "apps") return <AppsView />;
  return view === "catalogue" ? <CatalogueView /> : <Lost />;
}

/** A view of a team's records. */
function TeamPage({ id, part }: { readonly id: string; readonly part: string }) {
  const fetched = useFetched(() => readTeam(id), { keys: [id] });
  return (
    <Awaited fetched={fetched} name={t("teams.one")}>
      {({ name }) => (
        <OfTeam team={{ id, name }}>
          <HeldView view={part} />
        </OfTeam>
      )}
    </Awaited>
  );
}

function AdministratorPage() {
  const [view = ""] = route.value;
  if (view === "developers") return <DevelopersView />;
  if (view === "teams") return <AdministratorTeams />;
  if (view === "policies") return <PoliciesView />;
  if (view === "catalogue") return <AdministratorCatalogue />;
  if (view === "mails") return <MailsView />;
  if (view === "letters") return <LettersView />;
  if (view === "pages") return <TextsView />;
  if (view === "look") return <BrandView />;
  if (view === "configuration") return <ConfigurationView />;
  if (view === "audit") return <AuditLogView />;
  return view === "" ? <AdministratorRequests /> : <Lost />;
}

function Page() {
  const who = person.value;
  const [view = "", token = ""] = route.value;
  // A link in an e-mail also works with a session.
  if (isAccountView(view) && (who === undefined || token !== ""))
    return <AccountDoor key={view} view={view} token={token} />;
  if (who === undefined) return <Door />;
  return (
    <Shell
      brand={<PortalBrand />}
      groups={groupsOf(who.kind)}
      foot={
        <>
          <LanguageSwitch />
          <span id="who">{who.kind === "developer" ? who.name : t("nav.administrator")}</span>
          <button id="leave" type="button" class="small" onClick={() => attempt(leave)}>
            {t("nav.logOut")}
          </button>
        </>
      }
    >
      {who.kind === "developer" ? <DeveloperPage /> : <AdministratorPage />}
    </Shell>
  );
}

// The page cannot be used without messages. If they cannot be loaded, the browser reports it.
start(<Page />, await loadLanguage(document.documentElement.lang));
void attempt(() => Promise.all([resumeSession(), readAbilities()]));
void orSay(loadBrand);
effect(() => {
  if (person.value?.kind === "developer") void orSay(adoptLanguage);
});
