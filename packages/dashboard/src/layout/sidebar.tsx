/** The sidebar: project switch, pages of the project, the account and the operators. */
import { useId, useState } from 'react'
import { Brand } from '../components/brand.tsx'
import { GuardedLink } from '../components/guarded.tsx'
import { addressOf, PROJECT_ROOMS, type ProjectRoom } from '../lib/address.ts'
import { useMe } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { AccountSwitch } from './account-switch.tsx'
import styles from './app-shell.module.css'
import { Icon } from './icons.tsx'
import { SearchButton } from './palette-button.tsx'
import { ProjectSwitch } from './project-switch.tsx'
import { UserMenu } from './user-menu.tsx'

/** The permission required by each page. */
const NEEDS: Readonly<Record<ProjectRoom, string>> = {
  overview: 'projects:read',
  scripts: 'scripts:read',
  users: 'users:read',
  plans: 'users:read',
  variables: 'projects:read',
  sessions: 'sessions:read',
  ads: 'ads:read',
  webhooks: 'webhooks:read',
  statistics: 'statistics:read',
  logs: 'users:read',
  denials: 'users:read',
  bans: 'users:read',
  settings: 'projects:read',
}

type Props = {
  readonly pathname: string
  /** The project whose pages are listed; without one, the list of projects is linked. */
  readonly projectId: string | undefined
  readonly onSignedOut: () => void
}

export function Sidebar({ pathname, projectId, onSignedOut }: Props) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const { scopes, account } = useMe()
  return (
    <header className={styles.side}>
      <div className={styles.top}>
        <Brand className={styles.brand} />
        <SearchButton />
        <button
          type="button"
          className={styles.menuButton}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
        >
          {text.menu}
        </button>
      </div>
      <div className={isOpen ? styles.menu : `${styles.menu} ${styles.closed}`} id={id}>
        <AccountSwitch />
        {account !== null && <ProjectSwitch projectId={projectId} />}
        <nav className={styles.pages} aria-label={text.pages}>
          {projectId === undefined ? (
            <GuardedLink needs="projects:read" href={addressOf.projects} current={pathname === '/'}>
              {text.projects}
            </GuardedLink>
          ) : (
            <ProjectLinks projectId={projectId} pathname={pathname} />
          )}
          <AccountLinks pathname={pathname} />
          {scopes.includes('admin') && <OperatorLinks pathname={pathname} />}
        </nav>
        <UserMenu onSignedOut={onSignedOut} />
      </div>
    </header>
  )
}

function ProjectLinks({ projectId, pathname }: { projectId: string; pathname: string }) {
  const [, area, , room] = pathname.split('/')
  const open = area === 'projects' ? room || 'overview' : undefined
  return PROJECT_ROOMS.map((each) => (
    <GuardedLink
      key={each}
      needs={NEEDS[each]}
      href={addressOf.project(projectId, each)}
      current={open === each}
      icon={<Icon name={each} />}
    >
      {text.frame[each]}
    </GuardedLink>
  ))
}

function AccountLinks({ pathname }: { pathname: string }) {
  const here = (path: string) => (pathname === path ? 'page' : undefined)
  return (
    <>
      <h2>{text.accountGroup}</h2>
      <GuardedLink needs="members:read" href={addressOf.members} current={pathname === '/members'}>
        {text.members}
      </GuardedLink>
      <GuardedLink needs="tokens:read" href={addressOf.tokens} current={pathname === '/tokens'}>
        {text.tokens}
      </GuardedLink>
      <GuardedLink needs="audit:read" href={addressOf.audit} current={pathname === '/audit'}>
        {text.audit}
      </GuardedLink>
      <GuardedLink needs="users:read" href={addressOf.changes} current={pathname === '/changes'}>
        {text.changes.title}
      </GuardedLink>
      <a href={addressOf.account} aria-current={here('/account')}>
        {text.account}
      </a>
      <a href="/docs/" target="_blank" rel="noreferrer">
        {text.frame.reference}
      </a>
      <h2>{text.youGroup}</h2>
      <a href={addressOf.profile} aria-current={here('/profile')}>
        {text.profile}
      </a>
    </>
  )
}

function OperatorLinks({ pathname }: { pathname: string }) {
  const rooms = [
    ['customers', addressOf.customers],
    ['tiers', addressOf.tiers],
    ['system', addressOf.system],
  ] as const
  return (
    <>
      <h2>{text.frame.operatorsGroup}</h2>
      {rooms.map(([room, address]) => (
        <a key={room} href={address} aria-current={`#${pathname}` === address ? 'page' : undefined}>
          {text.frame[room]}
        </a>
      ))}
    </>
  )
}
