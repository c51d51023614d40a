/** The app shell for signed-in users: sidebar, top bar and page content. */
import { Outlet, useLocation } from '@tanstack/react-router'
import { useContext, useEffect, useRef, useState } from 'react'
import { addressOf } from '../lib/address.ts'
import { useIsNarrow } from '../lib/narrow.ts'
import { useMe } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { CallsContext } from '../queries/api-call-log.ts'
import styles from './app-shell.module.css'
import { NoAccountPage } from './error-pages.tsx'
import { Offline } from './offline.tsx'
import { SidePanel } from './side-panel.tsx'
import { Sidebar } from './sidebar.tsx'
import { TitleContext } from './title.ts'
import { TopBar } from './top-bar.tsx'

export function AppShell() {
  const main = useRef<HTMLElement>(null)
  const me = useMe()
  const { pathname } = useLocation()
  const [title, setTitle] = useState<string>()
  const [isOpen, setIsOpen] = useState(false)
  const isNarrow = useIsNarrow()
  useNewPage(pathname, main)
  const projectId = useLastProject(pathname)
  const isOnProfile = pathname === '/profile'
  const sidebar = <Sidebar pathname={pathname} projectId={projectId} key={pathname} />
  return (
    <div className={styles.frame}>
      <button type="button" className={styles.skip} onClick={() => main.current?.focus()}>
        {text.skip}
      </button>
      {!isNarrow && (
        <aside className={styles.side} aria-label={text.frame.sidebar}>
          {sidebar}
        </aside>
      )}
      {isNarrow && isOpen && <SidePanel onClose={() => setIsOpen(false)}>{sidebar}</SidePanel>}
      <div>
        <TopBar pathname={pathname} title={title} onMenu={isNarrow ? () => setIsOpen(true) : undefined} />
        <main ref={main} tabIndex={-1} key={me.account?.id}>
          <Offline />
          <MustAdd isOnProfile={isOnProfile} />
          <TitleContext value={setTitle}>
            {me.account === null && !isOnProfile ? <NoAccountPage /> : <Outlet />}
          </TitleContext>
        </main>
      </div>
    </div>
  )
}

/** On navigation, scrolls to the top, moves the focus for screen readers, and clears the API call log. */
function useNewPage(pathname: string, main: React.RefObject<HTMLElement | null>): void {
  const calls = useContext(CallsContext)
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    calls.clear()
    main.current?.focus()
    scrollTo(0, 0)
  }, [pathname, calls, main])
}

/**
 * Returns the project that was last open. On account pages, this keeps the project's pages one click away.
 */
function useLastProject(pathname: string): string | undefined {
  // Until the next page has loaded, the route parameters still belong to the previous page.
  const [, area, id] = pathname.split('/')
  const open = area === 'projects' ? id : undefined
  const [last, setLast] = useState(open)
  const shown = pathname === '/' ? undefined : (open ?? last)
  if (shown !== last) setLast(shown)
  return shown
}

function MustAdd({ isOnProfile }: { isOnProfile: boolean }) {
  const { person } = useMe()
  if (!person?.must_add_factor) return null
  return (
    <div className="notice warn" role="status">
      <span>
        <strong>{text.mustAddTitle}.</strong> {text.mustAdd}
      </span>
      {!isOnProfile && (
        <a className="button" href={addressOf.profile}>
          {text.addNow}
        </a>
      )}
    </div>
  )
}
