/** The sections of the settings page. Wide windows list the sections next to the page. */
import type { ReactNode } from 'react'
import { text } from '../../messages/text.ts'
import styles from './settings.module.css'

const TITLES = {
  general: text.settings.generalTitle,
  devices: text.settings.devicesTitle,
  users: text.settings.usersTitle,
  chat: text.settings.chatTitle,
  checks: text.settings.checksTitle,
  branding: text.settings.brandTitle,
  danger: text.settings.dangerTitle,
} as const
type Id = keyof typeof TITLES
const IDS = Object.keys(TITLES) as Id[]

const elementId = (id: Id) => `settings-${id}`

export function Section({ id, children }: { readonly id: Id; readonly children: ReactNode }) {
  return (
    <div id={elementId(id)} className={styles.section}>
      {children}
    </div>
  )
}

/** Uses buttons instead of links, because the hash of the URL already identifies the page. */
export function SectionList() {
  return (
    <nav className={styles.sections} aria-label={text.settings.sections}>
      {IDS.map((id) => (
        <button
          key={id}
          type="button"
          className="quiet"
          onClick={() => document.getElementById(elementId(id))?.scrollIntoView()}
        >
          {TITLES[id]}
        </button>
      ))}
    </nav>
  )
}
