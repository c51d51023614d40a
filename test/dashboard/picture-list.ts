/** The screenshots of the documentation: the page that each shows, and when it is ready. */
import type { Page } from 'playwright-core'
import type { Busy } from './busy-project.ts'

export type Picture = {
  /** URL below the project's. */
  readonly address: (busy: Busy) => string
  /** Waits until the relevant content is visible. */
  readonly ready: (page: Page) => Promise<unknown>
  /** The height of the window to capture, from its top. */
  readonly of: string
  readonly height: number
}

const rows = (page: Page) => page.locator('tbody tr[data-index]')

/** Keyed by file name. */
export const PICTURES: Readonly<Record<string, Picture>> = {
  overview: {
    address: () => '',
    ready: (page) => page.getByRole('link', { name: 'Key expired' }).first().waitFor(),
    of: 'body',
    height: 790,
  },
  users: {
    address: () => '/users',
    ready: (page) => rows(page).nth(11).waitFor(),
    of: 'main',
    height: 750,
  },
  record: {
    address: ({ users }) => `/users/${users[0]}`,
    ready: (page) => page.getByRole('tab', { name: 'Activity' }).waitFor(),
    of: 'main',
    height: 640,
  },
  logs: {
    address: () => '/logs',
    ready: (page) => rows(page).nth(11).waitFor(),
    of: 'body',
    height: 790,
  },
  denial: {
    address: () => '/denials?reason=fingerprint_mismatch',
    async ready(page) {
      await rows(page).first().getByRole('button', { name: 'Denied: different device' }).click()
      await page.getByRole('dialog').getByText('How to fix it').waitFor()
    },
    of: 'dialog[open]',
    height: 500,
  },
  versions: {
    address: ({ scripts }) => `/scripts/${scripts[0]}?tab=versions`,
    ready: (page) => rows(page).nth(3).waitFor(),
    of: 'main',
    height: 480,
  },
  sessions: {
    address: () => '/sessions',
    ready: (page) => rows(page).nth(6).waitFor(),
    of: 'main',
    height: 470,
  },
}
