/** Describes how tests open and fill a form that keeps its input. */
import type { Locator, Page } from 'playwright-core'
import { button } from './users-steps.ts'

/**
 * IDs of resources in an account with data. `empty` is a project without scripts, and `begun` is a project
 * without users.
 */
export type Filled = Readonly<
  Record<'project' | 'empty' | 'begun' | 'script' | 'user' | 'system' | 'ban' | 'account', string>
>

export type KeptForm = {
  readonly address: (filled: Filled) => string
  /** Opens the dialog, unless the page contains the form. */
  readonly open?: (page: Page) => Promise<unknown>
  readonly field: (form: Locator) => Locator
  readonly typed: string
}

export const formOf = (page: Page, name: string) => page.locator(`[data-form="${name}"]`)
export const labeled = (label: string) => (form: Locator) => form.getByLabel(label, { exact: true })
export const written = (label: string) => (form: Locator) =>
  form.getByRole('textbox', { name: label, exact: true })
export const press = (name: string) => (page: Page) => button(page, name).click()

export const inProject =
  (rest: string) =>
  ({ project, ...filled }: Filled) => {
    const names = Object.entries(filled)
    return `#/projects/${project}/${names.reduce((all, [name, id]) => all.replace(`:${name}`, id), rest)}`
  }
