import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { SecretDialog } from '../../components/code/secret.tsx'
import { Empty } from '../../components/empty.tsx'
import { OverlapField } from '../../components/fields/overlap-field.tsx'
import { ProjectsInShort } from '../../components/fields/project-choice.tsx'
import { ScopesInShort } from '../../components/fields/scope-choice.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog, FormDialog } from '../../components/overlays/dialog.tsx'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { RowActions } from '../../components/row-actions.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { access, type Token } from '../../queries/access.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { TokenForm } from './form.tsx'

type Made = { readonly token: Token; readonly secret: string }
type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly token: Token }
  | ({ readonly kind: 'made' | 'rotated' } & Made)

export function TokensPage() {
  const list = useTokens()
  const [open, setOpen] = useState<Open | null>(null)
  useDialogParam({ token: WRITE }, () => setOpen({ kind: 'new' }))
  const tokens = list.data?.pages.flatMap((page) => page.tokens) ?? []
  const total = list.data?.pages[0]?.total ?? 0
  const add = (
    <GuardedButton needs={WRITE} className="main" onClick={() => setOpen({ kind: 'new' })}>
      {text.newToken}
    </GuardedButton>
  )
  return (
    <>
      <PageTitle title={text.tokensTitle} intro={text.tokensIntro}>
        {tokens.length > 0 && add}
      </PageTitle>
      <QueryBoundary query={list}>
        {tokens.length === 0 ? (
          <Empty title={text.noTokens} hint={text.noTokensHint}>
            {add}
          </Empty>
        ) : (
          <ul className="rows lines">
            {tokens.map((token) => (
              <TokenRow key={token.id} token={token} onOpen={setOpen} />
            ))}
          </ul>
        )}
        {list.hasNextPage && (
          <div className="bar">
            <button type="button" onClick={() => list.fetchNextPage()} disabled={list.isFetchingNextPage}>
              {text.more}
            </button>
            <span className="hint">{text.moreOf(tokens.length, total)}</span>
          </div>
        )}
      </QueryBoundary>
      {open && <TokenDialog open={open} onOpen={setOpen} />}
    </>
  )
}

const WRITE = 'tokens:write'

function useTokens() {
  const call = useCall()
  return useInfiniteQuery({
    queryKey: ['tokens'],
    queryFn: ({ pageParam }) => access.tokens(call, pageParam === undefined ? {} : { after: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
}

function TokenRow({ token, onOpen }: { token: Token; onOpen: (open: Open) => void }) {
  const { name, start, scopes, projects, networks } = token
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <strong>{name}</strong>
          <code className="hint">{text.startOf(start)}</code>
          <State token={token} />
        </div>
        <div>
          <ScopesInShort scopes={scopes} />
        </div>
        <div className="facts">
          <span>
            <ProjectsInShort ids={projects} />
          </span>
          <span>{networks === null ? text.anyNetwork : networks.join(', ')}</span>
          <Expiry at={token.expires_at} />
          <LastUse token={token} />
        </div>
      </div>
      <RowActions
        of={name}
        actions={[
          {
            label: text.edit,
            name: text.editToken(name),
            needs: WRITE,
            onClick: () => onOpen({ kind: 'edit', token }),
          },
          {
            label: text.rotate,
            name: text.itsName(text.rotate, name),
            needs: WRITE,
            onClick: () => onOpen({ kind: 'rotate', token }),
          },
          {
            label: text.revoke,
            name: text.itsName(text.revoke, name),
            needs: WRITE,
            isDanger: true,
            onClick: () => onOpen({ kind: 'revoke', token }),
          },
        ]}
      />
    </li>
  )
}

function State({ token: { expires_at, previous_until } }: { token: Token }) {
  const now = Date.now()
  if (expires_at !== null && expires_at <= now) return <span className="badge bad">{text.expired}</span>
  if (previous_until !== null && previous_until > now)
    return <span className="badge warn">{text.rotating(exactly(previous_until))}</span>
  return <span className="badge on">{text.active}</span>
}

function Expiry({ at }: { at: number | null }) {
  if (at === null) return <span>{text.expiresNever}</span>
  return (
    <span>
      {at <= Date.now() ? text.expiredAt : text.expiresAt('').trim()} <Time at={at} />
    </span>
  )
}

function LastUse({ token: { last_used_at, last_used_network } }: { token: Token }) {
  if (last_used_at === null) return <span>{text.neverUsed}</span>
  return (
    <span>
      {text.lastUsed('').trim()} <Time at={last_used_at} />
      {last_used_network !== null && ` ${text.fromNetwork(last_used_network)}`}
    </span>
  )
}

function TokenDialog({ open, onOpen }: { open: Open; onOpen: (open: Open | null) => void }) {
  const onClose = () => onOpen(null)
  if ('secret' in open) {
    const title = open.kind === 'made' ? text.tokenMade : text.tokenRotated
    return (
      <SecretDialog title={title} value={open.secret} onClose={onClose}>
        <TryIt secret={open.secret} />
      </SecretDialog>
    )
  }
  if (open.kind === 'new')
    return <TokenForm onClose={onClose} onMade={(made) => onOpen({ kind: 'made', ...made })} />
  if (open.kind === 'edit') return <TokenForm token={open.token} onClose={onClose} />
  if (open.kind === 'rotate')
    return (
      <Rotate
        token={open.token}
        onClose={onClose}
        onRotated={(made) => onOpen({ kind: 'rotated', ...made })}
      />
    )
  return <Revoke token={open.token} onClose={onClose} />
}

type RotateProps = {
  readonly token: Token
  readonly onClose: () => void
  readonly onRotated: (made: Made) => void
}

function Rotate({ token, onClose, onRotated }: RotateProps) {
  const call = useCall()
  const [overlap, setOverlap] = useState(OVERLAP_MS)
  // Reports the result inside the mutation function, because the secret is returned only once.
  const rotate = useChange(async () => onRotated(await access.rotateToken(call, token.id, overlap)))
  return (
    <FormDialog
      title={text.rotateTitle(token.name)}
      submit={text.rotateNow}
      isPending={rotate.isPending}
      error={rotate.error}
      onClose={onClose}
      onSubmit={() => rotate.mutate(undefined)}
    >
      <p>{text.rotateText}</p>
      <OverlapField value={overlap} onChange={setOverlap} />
    </FormDialog>
  )
}

const OVERLAP_MS = 3_600_000

function Revoke({ token, onClose }: { token: Token; onClose: () => void }) {
  const call = useCall()
  return (
    <ConfirmDialog
      title={text.revokeTitle(token.name)}
      words={text.revokeText}
      submit={text.revoke}
      onConfirm={() => access.revokeToken(call, token.id)}
      onClose={onClose}
    />
  )
}

function TryIt({ secret }: { secret: string }) {
  const curl = `curl -H 'Authorization: Bearer ${secret}' ${location.origin}/v1/me`
  return (
    <div className="stack tight">
      <h3>{text.tryIt}</h3>
      <div className="secret">
        <code>{curl}</code>
        <CopyButton value={curl} label={text.copyCurl} />
      </div>
      <p className="hint">{text.tryItHint}</p>
    </div>
  )
}
