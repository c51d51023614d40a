/** All routes. Each page is a separate chunk that is loaded when the page is opened. */
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  type RouteComponent,
} from '@tanstack/react-router'
import { UnknownPage } from './layout/error-pages.tsx'
import { RequireAuth } from './layout/require-auth.tsx'
import { queryOf, readQuery } from './lib/address.ts'

const AuthPages = lazyRouteComponent(() => import('./layout/auth-pages.tsx'), 'AuthPages')
const root = createRootRoute({ component: Outlet })

/** Public pages. `$secret` is the secret contained in the link. */
const authPages = ['sign-up', 'reset', 'set-up', 'invitation', 'confirm', 'objection'].flatMap((page) =>
  [page, `${page}/$secret`].map((path) =>
    createRoute({ getParentRoute: () => root, path, component: () => <AuthPages page={page} /> }),
  ),
)

const CommandLinePage = lazyRouteComponent(
  () => import('./features/command-line/page.tsx'),
  'CommandLinePage',
)
const commandLine = [
  createRoute({
    getParentRoute: () => root,
    path: 'command-line',
    component: () => <RequireAuth alone={<CommandLinePage />} />,
  }),
  createRoute({
    getParentRoute: () => root,
    path: 'command-line/done',
    component: lazyRouteComponent(() => import('./features/command-line/page.tsx'), 'SignedInPage'),
  }),
]

const visit = createRoute({ getParentRoute: () => root, id: 'visit', component: () => <RequireAuth /> })
const ofVisit = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => visit, path, component })

/** Redirects links to a page that has moved. */
const forwardTo = (path: string) => () => <Navigate to={path} replace />

const account = [
  ofVisit(
    '/',
    lazyRouteComponent(() => import('./features/projects/page.tsx'), 'ProjectsPage'),
  ),
  ofVisit(
    'profile',
    lazyRouteComponent(() => import('./features/profile/page.tsx'), 'ProfilePage'),
  ),
  ofVisit('projects', forwardTo('/')),
  ofVisit('account', forwardTo('/account/tier')),
  ofVisit(
    'account/api',
    lazyRouteComponent(() => import('./features/account/api-access.tsx'), 'ApiAccessPage'),
  ),
  ofVisit(
    'account/usage',
    lazyRouteComponent(() => import('./features/account/usage-page.tsx'), 'UsagePage'),
  ),
  ofVisit(
    'account/tier',
    lazyRouteComponent(() => import('./features/account/tier-page.tsx'), 'TierPage'),
  ),
  ofVisit(
    'account/danger',
    lazyRouteComponent(() => import('./features/account/danger.tsx'), 'DangerPage'),
  ),
  ofVisit(
    'tokens',
    lazyRouteComponent(() => import('./features/tokens/page.tsx'), 'TokensPage'),
  ),
  ofVisit(
    'members',
    lazyRouteComponent(() => import('./features/members/page.tsx'), 'MembersPage'),
  ),
  ofVisit(
    'audit',
    lazyRouteComponent(() => import('./features/audit/page.tsx'), 'AuditPage'),
  ),
  ofVisit(
    'changes',
    lazyRouteComponent(() => import('./features/changes/page.tsx'), 'ChangesPage'),
  ),
  ofVisit('$', UnknownPage),
]

const operators = [
  ofVisit(
    'operators/customers',
    lazyRouteComponent(() => import('./features/operators/customers.tsx'), 'CustomersPage'),
  ),
  ofVisit(
    'operators/tiers',
    lazyRouteComponent(() => import('./features/operators/tiers.tsx'), 'TiersPage'),
  ),
  ofVisit(
    'operators/system',
    lazyRouteComponent(() => import('./features/operators/system.tsx'), 'SystemPage'),
  ),
]

const project = createRoute({
  getParentRoute: () => visit,
  path: 'projects/$project',
  component: lazyRouteComponent(() => import('./features/projects/layout.tsx'), 'ProjectLayout'),
})
const ofProject = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => project, path, component })

const rooms = [
  ofProject(
    '/',
    lazyRouteComponent(() => import('./features/overview/page.tsx'), 'OverviewPage'),
  ),
  ofProject(
    'scripts',
    lazyRouteComponent(() => import('./features/scripts/page.tsx'), 'ScriptsPage'),
  ),
  ofProject(
    'scripts/$script',
    lazyRouteComponent(() => import('./features/scripts/script.tsx'), 'ScriptPage'),
  ),
  ofProject(
    'hub',
    lazyRouteComponent(() => import('./features/hub/page.tsx'), 'HubPage'),
  ),
  ofProject(
    'errors',
    lazyRouteComponent(() => import('./features/errors/page.tsx'), 'ErrorsPage'),
  ),
  ofProject(
    'releases',
    lazyRouteComponent(() => import('./features/releases-of-project/page.tsx'), 'ReleasesPage'),
  ),
  ofProject(
    'leaks',
    lazyRouteComponent(() => import('./features/leaks/page.tsx'), 'LeaksPage'),
  ),
  ofProject(
    'users',
    lazyRouteComponent(() => import('./features/users/page.tsx'), 'UsersPage'),
  ),
  ofProject(
    'users/$key',
    lazyRouteComponent(() => import('./features/users/user-page.tsx'), 'UserPage'),
  ),
  ofProject(
    'plans',
    lazyRouteComponent(() => import('./features/plans/page.tsx'), 'PlansPage'),
  ),
  ofProject(
    'discord',
    lazyRouteComponent(() => import('./features/discord/page.tsx'), 'DiscordPage'),
  ),
  ofProject(
    'sessions',
    lazyRouteComponent(() => import('./features/sessions/page.tsx'), 'SessionsPage'),
  ),
  ofProject(
    'ads',
    lazyRouteComponent(() => import('./features/ads/page.tsx'), 'AdsPage'),
  ),
  ofProject(
    'ads/$system',
    lazyRouteComponent(() => import('./features/ads/system.tsx'), 'AdSystemPage'),
  ),
  ofProject(
    'variables',
    lazyRouteComponent(() => import('./features/variables/page.tsx'), 'VariablesPage'),
  ),
  ofProject(
    'webhooks',
    lazyRouteComponent(() => import('./features/webhooks/page.tsx'), 'WebhooksPage'),
  ),
  ofProject(
    'statistics',
    lazyRouteComponent(() => import('./features/statistics/page.tsx'), 'StatisticsPage'),
  ),
  ofProject(
    'logs',
    lazyRouteComponent(() => import('./features/logs/page.tsx'), 'LogsPage'),
  ),
  ofProject(
    'denials',
    lazyRouteComponent(() => import('./features/denials/page.tsx'), 'DenialsPage'),
  ),
  ofProject(
    'bans',
    lazyRouteComponent(() => import('./features/bans/page.tsx'), 'BansPage'),
  ),
  ofProject(
    'settings',
    lazyRouteComponent(() => import('./features/settings/page.tsx'), 'SettingsPage'),
  ),
]

const routeTree = root.addChildren([
  ...authPages,
  ...commandLine,
  visit.addChildren([...account, ...operators, project.addChildren(rooms)]),
])

/** Creates the router, once per page load. */
export function makeRouter() {
  return createRouter({
    routeTree,
    history: createHashHistory(),
    parseSearch: readQuery,
    stringifySearch: queryOf,
    defaultNotFoundComponent: UnknownPage,
  })
}
