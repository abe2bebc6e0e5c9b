-- CreateTable
CREATE TABLE "portal"."ended_session" (
    "id" UUID NOT NULL,
    "ended_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ended_session_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "ended_session_ended_at_idx" ON "portal"."ended_session"("ended_at");
