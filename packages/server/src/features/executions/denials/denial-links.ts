/** Chooses the link that a denied customer sees below the message. */
import type { Denial, DenialLink } from '@scriptward/client/messages'
import type { Config } from '../../../config/config.ts'
import type { Language } from '../../../pages/language.ts'
import { ownPageAddress } from '../../customer-page/own-page-address.ts'
import { tellDenial } from './denial-words.ts'

type Supported = { readonly project_id: string; readonly support_url: string | null }

/**
 * Prefers links that let customers help themselves: first the page where they can get a key, then their
 * customer page, and finally the author's support URL.
 */
export function linkOf(
  { config, language }: { readonly config: Config; readonly language: Language },
  { project_id, support_url }: Supported,
  answer: Denial,
): DenialLink | undefined {
  if (answer.ad_url !== undefined) return { text: tellDenial(language, 'link_get_key'), url: answer.ad_url }
  if (isHelpedByOwnPage(answer))
    return { text: tellDenial(language, 'link_own_page'), url: ownPageAddress(config, project_id) }
  return support_url === null ? undefined : { text: tellDenial(language, 'link_support'), url: support_url }
}

export function withLink(answer: Denial, link: DenialLink | undefined): Denial {
  return link === undefined ? answer : { ...answer, link }
}

function isHelpedByOwnPage({ reason, details }: Denial): boolean {
  if (reason === 'max_instances') return true
  return reason === 'fingerprint_mismatch' && Boolean(details?.can_reset || details?.reset_available_at)
}
