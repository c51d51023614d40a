/** Every address of the dashboard and the page behind it. A page is a chunk of its own, loaded when it is opened. */
import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
} from '@tanstack/react-router'
import { queryOf, readQuery } from './address.ts'
import { Doors } from './frame/doors.tsx'
import { Visit } from './frame/visit.tsx'
import { ProjectsPage } from './pages/projects/page.tsx'
import { UnknownPage } from './pages/trouble.tsx'

const root = createRootRoute({ component: Outlet })

/** Pages that need no sign-in; `$secret` is that of a link. */
const doors = ['sign-up', 'reset', 'set-up', 'invitation', 'confirm', 'objection'].flatMap((door) =>
  [door, `${door}/$secret`].map((path) =>
    createRoute({ getParentRoute: () => root, path, component: () => <Doors door={door} /> }),
  ),
)

const CommandLinePage = lazyRouteComponent(() => import('./pages/command-line/page.tsx'), 'CommandLinePage')
const commandLine = [
  createRoute({
    getParentRoute: () => root,
    path: 'command-line',
    component: () => <Visit alone={<CommandLinePage />} />,
  }),
  createRoute({
    getParentRoute: () => root,
    path: 'command-line/done',
    component: lazyRouteComponent(() => import('./pages/command-line/page.tsx'), 'SignedInPage'),
  }),
]

const visit = createRoute({ getParentRoute: () => root, id: 'visit', component: () => <Visit /> })
const ofVisit = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => visit, path, component })

const account = [
  ofVisit('/', ProjectsPage),
  ofVisit(
    'profile',
    lazyRouteComponent(() => import('./pages/profile/page.tsx'), 'ProfilePage'),
  ),
  ofVisit(
    'account',
    lazyRouteComponent(() => import('./pages/account/page.tsx'), 'AccountPage'),
  ),
  ofVisit(
    'tokens',
    lazyRouteComponent(() => import('./pages/tokens/page.tsx'), 'TokensPage'),
  ),
  ofVisit(
    'members',
    lazyRouteComponent(() => import('./pages/members/page.tsx'), 'MembersPage'),
  ),
  ofVisit(
    'audit',
    lazyRouteComponent(() => import('./pages/audit/page.tsx'), 'AuditPage'),
  ),
  ofVisit(
    'changes',
    lazyRouteComponent(() => import('./pages/changes/page.tsx'), 'ChangesPage'),
  ),
  ofVisit('$', UnknownPage),
]

const operators = [
  ofVisit(
    'operators/customers',
    lazyRouteComponent(() => import('./pages/operators/customers.tsx'), 'CustomersPage'),
  ),
  ofVisit(
    'operators/tiers',
    lazyRouteComponent(() => import('./pages/operators/tiers.tsx'), 'TiersPage'),
  ),
  ofVisit(
    'operators/system',
    lazyRouteComponent(() => import('./pages/operators/system.tsx'), 'SystemPage'),
  ),
]

const project = createRoute({
  getParentRoute: () => visit,
  path: 'projects/$project',
  component: lazyRouteComponent(() => import('./pages/projects/layout.tsx'), 'ProjectLayout'),
})
const ofProject = (path: string, component: RouteComponent) =>
  createRoute({ getParentRoute: () => project, path, component })

const rooms = [
  ofProject(
    '/',
    lazyRouteComponent(() => import('./pages/overview/page.tsx'), 'OverviewPage'),
  ),
  ofProject(
    'scripts',
    lazyRouteComponent(() => import('./pages/scripts/page.tsx'), 'ScriptsPage'),
  ),
  ofProject(
    'scripts/$script',
    lazyRouteComponent(() => import('./pages/scripts/script.tsx'), 'ScriptPage'),
  ),
  ofProject(
    'users',
    lazyRouteComponent(() => import('./pages/users/page.tsx'), 'UsersPage'),
  ),
  ofProject(
    'plans',
    lazyRouteComponent(() => import('./pages/plans/page.tsx'), 'PlansPage'),
  ),
  ofProject(
    'sessions',
    lazyRouteComponent(() => import('./pages/sessions/page.tsx'), 'SessionsPage'),
  ),
  ofProject(
    'ads',
    lazyRouteComponent(() => import('./pages/ads/page.tsx'), 'AdsPage'),
  ),
  ofProject(
    'ads/$system',
    lazyRouteComponent(() => import('./pages/ads/system.tsx'), 'AdSystemPage'),
  ),
  ofProject(
    'variables',
    lazyRouteComponent(() => import('./pages/variables/page.tsx'), 'VariablesPage'),
  ),
  ofProject(
    'webhooks',
    lazyRouteComponent(() => import('./pages/webhooks/page.tsx'), 'WebhooksPage'),
  ),
  ofProject(
    'statistics',
    lazyRouteComponent(() => import('./pages/statistics/page.tsx'), 'StatisticsPage'),
  ),
  ofProject(
    'denials',
    lazyRouteComponent(() => import('./pages/denials/page.tsx'), 'DenialsPage'),
  ),
  ofProject(
    'bans',
    lazyRouteComponent(() => import('./pages/bans/page.tsx'), 'BansPage'),
  ),
  ofProject(
    'settings',
    lazyRouteComponent(() => import('./pages/settings/page.tsx'), 'SettingsPage'),
  ),
]

const routeTree = root.addChildren([
  ...doors,
  ...commandLine,
  visit.addChildren([...account, ...operators, project.addChildren(rooms)]),
])

/** One for each load of the page. */
export function makeRouter() {
  return createRouter({
    routeTree,
    history: createHashHistory(),
    parseSearch: readQuery,
    stringifySearch: queryOf,
    defaultNotFoundComponent: UnknownPage,
  })
}
