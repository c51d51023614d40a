/** URLs to paste at the provider, in the form that it needs. */
import { CopyButton } from '../../components/code/copy-button.tsx'
import { text } from '../../messages/text.ts'
import type { Addresses, ProviderId } from './queries.ts'

const t = text.ads

export function ProviderAddresses({ provider, addresses }: { provider: ProviderId; addresses: Addresses }) {
  const [title, value] = pastedAt(provider, addresses)
  return (
    <div className="stack tight">
      <p className="hint">{t.atProviderHints[provider]}</p>
      <strong>{title}</strong>
      <div className="secret">
        <code>{value}</code>
        <CopyButton value={value} />
      </div>
    </div>
  )
}

function pastedAt(provider: ProviderId, { callback_url, postback_url }: Addresses): [string, string] {
  if (provider === 'provider_b') return [t.postback, postback_url]
  return [t.callback, provider === 'provider_c' ? `${callback_url}?token={TOKEN}` : callback_url]
}
