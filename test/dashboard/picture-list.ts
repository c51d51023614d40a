/** Lists the screenshots in the documentation, each with its page and the content to wait for. */
import type { Page } from 'playwright-core'
import type { Busy } from './busy-project.ts'

export type Picture = {
  /** The URL, relative to the project. */
  readonly address: (busy: Busy) => string
  /** Waits until the relevant content is visible. */
  readonly ready: (page: Page) => Promise<unknown>
  /** The height to capture, from the top of the window. */
  readonly of: string
  readonly height: number
}

const rows = (page: Page) => page.locator('tbody tr[data-index]')

/** Screenshots by file name. */
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
  discord: {
    address: () => '/discord',
    async ready(page) {
      // Discord requires TLS, which the tests don't use.
      await page.route('**/discord', async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response, body: (await response.text()).replace('http:', 'https:') })
      })
      await page.reload()
      await page.getByText('Founder').first().waitFor({ state: 'attached' })
    },
    of: 'main',
    height: 640,
  },
  'key-window': {
    address: () => '/hub?tab=window',
    async ready(page) {
      await page.getByRole('button', { name: 'Turn on key checks' }).click()
      await page.getByLabel('Title', { exact: true }).fill('Moonlit Garden')
      await page.getByLabel('Accent color', { exact: true }).fill('#2f9e6e')
      await page.getByLabel('Get key button').selectOption('Always')
      await page.getByLabel('Buy link').fill('https://shop.example.com')
      await page.getByRole('button', { name: 'Landscape' }).click()
      await page.getByRole('button', { name: 'Denied' }).click()
      await page.getByRole('img', { name: /Moonlit Garden .* Try again in 4:32/ }).waitFor()
      await page.evaluate('document.activeElement.blur()')
    },
    of: 'main',
    height: 694,
  },
  sessions: {
    address: () => '/sessions',
    ready: (page) => rows(page).nth(6).waitFor(),
    of: 'main',
    height: 470,
  },
}
