/**
 * The sidebar. It lists the project's pages or, after a click on the user's name, the account and server
 * pages.
 */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Brand } from '../components/brand.tsx'
import { GuardedLink } from '../components/guarded.tsx'
import { addressOf, type ProjectRoom, ROOM_GROUPS } from '../lib/address.ts'
import { useMe } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { type AccountPage, accountGroups } from './account-pages.ts'
import { AccountSwitch } from './account-switch.tsx'
import { Icon } from './icons.tsx'
import { useOpenErrors } from './open-errors.ts'
import { NEEDS } from './project-pages.ts'
import { useProjects } from './project-switch.tsx'
import styles from './sidebar.module.css'
import { AccountButton, UserMenu } from './user-menu.tsx'

/** Maximum number to display. Larger numbers don't fit in the sidebar. */
const MAX_COUNT = 99

type Props = {
  readonly pathname: string
  /** The project whose pages are listed; if undefined, the account's pages are listed. */
  readonly projectId: string | undefined
}

export function Sidebar({ pathname, projectId }: Props) {
  const isOfProject = pathname.startsWith('/projects/')
  const [isAccount, setIsAccount] = useState(!isOfProject || projectId === undefined)
  const pages = useRef<HTMLElement>(null)
  useFocusOnChange(isAccount, pages)
  return (
    <div className={styles.content}>
      <Brand className={styles.brand} />
      <nav ref={pages} className={styles.pages} aria-label={text.pages}>
        {isAccount || projectId === undefined ? (
          <>
            {projectId !== undefined && (
              <Back projectId={projectId} onBack={isOfProject ? () => setIsAccount(false) : undefined} />
            )}
            <AccountLinks pathname={pathname} />
          </>
        ) : (
          <ProjectLinks projectId={projectId} pathname={pathname} />
        )}
      </nav>
      {isAccount ? <UserMenu /> : <AccountButton onOpen={() => setIsAccount(true)} />}
    </div>
  )
}

/** The clicked button disappears together with its pages, so the focus moves to the first new page. */
function useFocusOnChange(isAccount: boolean, pages: React.RefObject<HTMLElement | null>): void {
  const shown = useRef(isAccount)
  useEffect(() => {
    if (shown.current === isAccount) return
    shown.current = isAccount
    pages.current?.querySelector<HTMLElement>('a, button')?.focus()
  }, [isAccount, pages])
}

/** Without `onBack`, the sidebar does not contain the project's pages, so the entry is a link. */
function Back({ projectId, onBack }: { projectId: string; onBack: (() => void) | undefined }) {
  const name = useProjects().data?.find(({ id }) => id === projectId)?.name
  const content = (
    <>
      <Icon name="back" />
      <span>{name === undefined ? text.frame.backToProject : text.frame.backTo(name)}</span>
    </>
  )
  if (onBack === undefined)
    return (
      <a className={styles.back} href={addressOf.project(projectId)}>
        {content}
      </a>
    )
  return (
    <button type="button" className={styles.back} onClick={onBack}>
      {content}
    </button>
  )
}

function ProjectLinks({ projectId, pathname }: { projectId: string; pathname: string }) {
  const [, area, , room] = pathname.split('/')
  const open = area === 'projects' ? room || 'overview' : undefined
  return Object.entries(ROOM_GROUPS).map(([group, rooms]) => (
    <Group key={group} title={text.frame.groups[group as keyof typeof ROOM_GROUPS]}>
      {rooms.map((each: ProjectRoom) => (
        <li key={each}>
          <GuardedLink
            needs={NEEDS[each]}
            href={addressOf.project(projectId, each)}
            current={open === each || (open === 'denials' && each === 'logs')}
            icon={<Icon name={each} />}
            count={each === 'errors' && <OpenErrors projectId={projectId} />}
          >
            {text.frame[each]}
          </GuardedLink>
        </li>
      ))}
    </Group>
  ))
}

/** Number of open errors. Renders nothing if there are none. */
function OpenErrors({ projectId }: { projectId: string }) {
  const count = useOpenErrors(projectId)
  if (count === 0) return null
  return (
    <span className={styles.count} title={text.frame.openErrors(count)}>
      {count > MAX_COUNT ? `${MAX_COUNT}+` : count}
      <span className="unseen-text"> {text.frame.open}</span>
    </span>
  )
}

function AccountLinks({ pathname }: { pathname: string }) {
  const { scopes, account } = useMe()
  const groups = accountGroups({ isOperator: scopes.includes('admin'), hasAccount: account !== null })
  return (
    <>
      <AccountSwitch />
      {groups.map(({ title, pages }) => (
        <Group key={title ?? ''} title={title}>
          {pages.map((page) => (
            <AccountLink key={page.address} page={page} isCurrent={`#${pathname}` === page.address} />
          ))}
        </Group>
      ))}
      <Group title={undefined}>
        <li>
          <a href="/docs/" target="_blank" rel="noreferrer">
            <Icon name="reference" />
            {text.frame.reference}
          </a>
        </li>
      </Group>
    </>
  )
}

function AccountLink({ page, isCurrent }: { page: AccountPage; isCurrent: boolean }) {
  return (
    <li>
      <GuardedLink
        needs={page.needs}
        href={page.address}
        current={isCurrent}
        icon={<Icon name={page.icon} />}
      >
        {page.title}
      </GuardedLink>
    </li>
  )
}

function Group({ title, children }: { title: string | undefined; children: ReactNode }) {
  const id = useId()
  if (!title) return <ul>{children}</ul>
  return (
    <>
      <h2 id={id}>{title}</h2>
      <ul aria-labelledby={id}>{children}</ul>
    </>
  )
}
