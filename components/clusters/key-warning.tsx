/** One's own key to a cluster is about to expire, or did: said where the cluster is shown. */
import { Moment } from "@/components/ui/moment";
import type { ClusterView } from "@/server/api/views";

export function KeyWarning({
  cluster: { myKey, accountPolicy },
}: {
  cluster: Pick<ClusterView, "myKey" | "accountPolicy">;
}) {
  if (accountPolicy === "service" || !myKey?.expiresAt || myKey.expiry === "none" || myKey.expiry === "later")
    return null;
  return (
    <p className="text-[0.9rem] text-caution" data-testid="key-expiry">
      {myKey.expiry === "expired" ? "Your key expired on " : "Your key expires on "}
      <Moment at={myKey.expiresAt} />. Replace it under My access.
    </p>
  );
}
