/** The app shell for signed-in users: sidebar, command palette, and the page itself. */
import { Outlet, useLocation } from '@tanstack/react-router'
import { useContext, useEffect, useRef, useState } from 'react'
import { addressOf } from '../lib/address.ts'
import { useMe } from '../lib/rights.ts'
import { text } from '../messages/text.ts'
import { CallsContext } from '../queries/api-call-log.ts'
import { useProjectId } from '../queries/projects.ts'
import styles from './app-shell.module.css'
import { NoAccountPage } from './error-pages.tsx'
import { Offline } from './offline.tsx'
import { Sidebar } from './sidebar.tsx'

export function AppShell({ onSignedOut }: { onSignedOut: () => void }) {
  const main = useRef<HTMLElement>(null)
  const me = useMe()
  const { pathname } = useLocation()
  useNewPage(pathname, main)
  const projectId = useLastProject(pathname)
  const isOnProfile = pathname === '/profile'
  return (
    <div className={styles.frame}>
      <button type="button" className={styles.skip} onClick={() => main.current?.focus()}>
        {text.skip}
      </button>
      <Sidebar pathname={pathname} projectId={projectId} onSignedOut={onSignedOut} key={pathname} />
      <main ref={main} tabIndex={-1} key={me.account?.id}>
        <Offline />
        <MustAdd isOnProfile={isOnProfile} />
        {me.account === null && !isOnProfile ? <NoAccountPage /> : <Outlet />}
      </main>
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

/** Returns the last opened project on account pages, so that its pages stay one click away. */
function useLastProject(pathname: string): string | undefined {
  const open = useProjectId()
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
