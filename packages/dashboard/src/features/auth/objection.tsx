/** Restores a removed owner. This needs a click, because mail scanners open links. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { isGone, UnreachablePage } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { auth } from '../../queries/auth.ts'
import { AuthForm, AuthLayout, DeadLink, useEnter } from './auth-layout.tsx'

export function ObjectionPage({ link }: { link: string }) {
  const call = useCall()
  const enter = useEnter()
  const look = useQuery({
    queryKey: ['set-up', link],
    queryFn: () => auth.setUpLook(call, link),
    staleTime: 'static',
  })
  const object = useMutation({ mutationFn: () => auth.object(call, link) })
  if (isGone(look.error) || isGone(object.error)) return <DeadLink hint={text.linkObjection} />
  if (look.error) return <UnreachablePage error={look.error} onRetry={() => look.refetch()} />
  return (
    <AuthLayout title={text.objectionTitle} intro={look.data && text.objectionIntro(look.data.account ?? '')}>
      <AuthForm
        submit={text.objectionSubmit}
        isPending={object.isPending || look.isPending}
        error={object.error}
        onSubmit={() => object.mutate(undefined, { onSuccess: enter })}
      />
    </AuthLayout>
  )
}
