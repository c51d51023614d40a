/**
 * Renders a project's pages with sample content, each as one self-contained document, to preview the
 * branding. Real pages are rendered by the same code.
 */
import type { Brand } from '../../../pages/brand.ts'
import type { Language } from '../../../pages/language.ts'
import { say } from '../../../pages/words.ts'
import { renderVisitorPage } from '../../ads/pages/visitor-page.ts'
import type { Action, Loader, Step } from '../../ads/pages/visitor-views.ts'
import { renderSelfService } from './self-service-page.ts'

/** The first page of an ad system, an earned key, and the self-service page. */
export const PREVIEWS = ['ads', 'key', 'me'] as const

export type Preview = {
  readonly page: (typeof PREVIEWS)[number]
  readonly language: Language
  readonly brand: Brand
  readonly project: string
  readonly loaders: readonly Loader[]
  readonly now: number
}

const HOUR = 3_600_000
const DAY = 24 * HOUR
const KEY = 'aZ4kQ9xW2mB7rT1yP6cV8nL3sD5fG0hJ'
const NOWHERE: Action = { method: 'POST', href: '#', fields: {} }

export function renderPreview(preview: Preview): string {
  switch (preview.page) {
    case 'ads':
      return adsStart(preview)
    case 'key':
      return earnedKey(preview)
    case 'me':
      return selfService(preview)
  }
}

function adsStart(preview: Preview): string {
  const steps = [1, 2].map(
    (number): Step => ({
      name: say(preview.language, 'step_of', { number, total: 2 }),
      provider: say(preview.language, 'sample_partner'),
      state: 'ahead',
    }),
  )
  const nothing = { keys: [], isForDevice: false }
  return renderVisitorPage({
    ...{ ...ofSystem(preview), ...nothing, kind: 'landing', steps, key_duration: DAY },
    start: NOWHERE,
  })
}

function earnedKey(preview: Preview): string {
  const key = { key: KEY, key_expires: preview.now + DAY, locked_until: null }
  const { loaders } = preview
  return renderVisitorPage({
    ...{ ...ofSystem(preview), kind: 'key', key, loaders },
    isExtended: false,
    isForDevice: true,
  })
}

function selfService({ language, brand, project, loaders, now }: Preview): string {
  return renderSelfService({
    ...{ language, assets: null, brand, now, loaders, project_name: project },
    ...{ csrf: '', notice: undefined, lock: undefined, blacklist: undefined, sessions: [] },
    ...{ masked_key: `${KEY.slice(0, 4)}…${KEY.slice(-4)}`, state: 'active', key_expires: now + 30 * DAY },
    ...{ plan: null, kept: null, grace_until: null },
    ...{ news: [], executions: 12, max_executions: null, last_reset: 0 },
    device: ['203.0.*.* -> ip', '3fa9…c17e -> fingerprint'],
    devices: [],
    max_devices: 1,
    reset: { kind: 'possible' },
  })
}

function ofSystem({ language, brand, project, now }: Preview) {
  return { language, assets: null, brand, project, system: say(language, 'sample_system'), now }
}
