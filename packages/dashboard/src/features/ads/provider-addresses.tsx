/** The URL to paste on the network's site, in the format that the network requires. */
import { CopyButton } from '../../components/code/copy-button.tsx'
import { adsText as t } from '../../messages/en/ads.ts'
import type { Addresses, ProviderId } from './queries.ts'

type Props = { readonly provider: ProviderId; readonly network: string; readonly addresses: Addresses }

export function ProviderAddresses({ provider, network, addresses }: Props) {
  const [title, value] = pastedAt(provider, addresses)
  return (
    <div className="stack tight">
      <p className="hint">{t.atProviderHints[provider](network)}</p>
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
