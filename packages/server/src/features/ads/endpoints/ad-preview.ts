/** The first page that an ad system's visitors see, as one self-contained document. */
import { Refused } from '../../../api/refusals.ts'
import type { Deps } from '../../../deps.ts'
import type { Language } from '../../../pages/language.ts'
import { draftBranding } from '../../projects/branding.ts'
import type { AdSystemSubject } from '../../projects/store/subjects.ts'
import { renderVisitorPage } from '../pages/visitor-page.ts'
import type { Action, Step } from '../pages/visitor-views.ts'
import { listCheckpoints } from '../visits/progress.ts'
import { describeStep } from '../visits/view.ts'

const NOWHERE: Action = { method: 'POST', href: '#', fields: {} }

export async function previewAdSystem(deps: Deps, subject: AdSystemSubject, language: Language) {
  const { project, system } = subject
  const checkpoints = await listCheckpoints(deps.db.read, system.id)
  const brand = await draftBranding(deps, subject, {})
  if (brand instanceof Refused) return brand
  const { accent, links, image, logo } = brand
  const steps = checkpoints.map((one): Step => ({ ...describeStep(deps, one), state: 'ahead' }))
  const frame = { language, assets: null, now: deps.now(), system: system.name }
  const named = { project: brand.name ?? project.name, start: NOWHERE, key_duration: system.key_duration }
  const html = renderVisitorPage({
    ...{ ...frame, ...named, kind: 'landing', steps, keys: [], isForDevice: false },
    brand: { accent, links, logo: logo && image ? { ...logo, address: image } : null },
  })
  return { html }
}
