package io.faultline.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** What is sent and what comes of it: the tables of docs/reference-counters.md, row by row. */
class CounterTest {
  private final Points points = new Points();

  private void cumulative(String sent, String rates, Map<String, Integer> counts)
      throws IOException {
    assertEquals(rates, points.cumulative(sent));
    assertEquals(counts, points.counts);
  }

  private void delta(String sent, String rates, Map<String, Integer> counts) throws IOException {
    assertEquals(rates, points.delta(sent));
    assertEquals(counts, points.counts);
  }

  /** Cumulative points that say when counting began. */
  @Nested
  class WithStart {
    /** As case counter-reset-sum. */
    @Test
    void aRestartCountsFromZeroAndIsTheNewBase() throws IOException {
      cumulative(
          "0:1000@-3600 10:1050@-3600 20:1110@-3600 30:24@22 40:44@22",
          "10=5 20=6 30=2.4 40=2",
          Map.of("counter_restart", 1));
    }

    @Test
    void aNewStartIsARestartAlsoWhereTheValueIsHigher() throws IOException {
      cumulative(
          "0:10@-60 10:20@-60 20:50@12 30:60@12", "10=1 20=5 30=1", Map.of("counter_restart", 1));
    }

    @Test
    void aFirstValueIsNoRateWhateverItsStart() throws IOException {
      cumulative("0:1e9@-15", "", Map.of());
    }

    @Test
    void aPointWithoutLengthIsWhereCountingBegins() throws IOException {
      cumulative(
          "0:1000000@-60 10:1000020@-60 20:1000040@20 30:1000070@20",
          "10=2 30=3",
          Map.of("counter_restart", 1));
    }

    @Test
    void aSenderThatRestartedHasNotCountedAMillionCalls() throws IOException {
      cumulative(
          "0:1000000@-60 10:1000020@-60 20:1000050@12 30:1000070@12",
          "10=2 20=3 30=2",
          Map.of("start_moved", 1));
    }

    @Test
    void aStartThatMovesALittleCostsOneRate() throws IOException {
      cumulative(
          "0:100@-60 10:120@-60 20:140@-59.5 30:160@-60.25 40:180@-59.75",
          "10=2 30=2 40=2",
          Map.of());
    }

    @Test
    void twoInstancesOfOneSecondAreNoMovingStart() throws IOException {
      cumulative(
          "0:4210@-60.5 5:3880@-60 10:4220@-60.5 15:3881@-60 20:4230@-60.5 25:3882@-60",
          "15=1.1 20=1.1 25=1.1",
          Map.of("overlapping_streams", 1));
    }

    @Test
    void aStartInTheFutureIsNoStart() throws IOException {
      cumulative("0:100@5 10:120@15 20:140@25", "10=2 20=2", Map.of("start_in_future", 3));
    }

    @Test
    void aStartThatIsSaidLaterChangesNothing() throws IOException {
      cumulative("0:100 10:120@-60 20:140@-60 30:160", "10=2 20=2 30=2", Map.of());
    }

    @Test
    void aFallWithoutANewStartIsNoRate() throws IOException {
      cumulative(
          "0:600@-60 10:650@-60 20:600@-60 30:610@-60", "10=5 30=1", Map.of("counter_decrease", 1));
    }

    /** As case counter-interleaved-instances. */
    @Test
    void instancesThatShareASeriesAreAddedAndNeverResets() throws IOException {
      cumulative(
          "0:4210@-9000 5:3880@-2000 10:4220@-9000 15:3881@-2000 20:4230@-9000 25:3882@-2000",
          "15=1.1 20=1.1 25=1.1",
          Map.of("overlapping_streams", 1));
    }

    @Test
    void instancesOfOneStartAreToldApartByLevel() throws IOException {
      cumulative(
          "0:4210@-60 5:3880@-60 10:4220@-60 15:3881@-60 20:4230@-60",
          "15=1.1 20=1.1",
          Map.of("counter_decrease", 1, "overlapping_streams", 1));
    }

    @Test
    void aNewInstanceCountsAtOnceAndTheOldOneGoesOn() throws IOException {
      cumulative(
          "0:100@-60 10:110@-60 13:10@8 20:120@-60 23:30@8 30:130@-60",
          "10=1 13=3 20=3 23=3 30=3",
          Map.of("overlapping_streams", 1));
    }

    @Test
    void aNewInstanceTakenForARestartLosesNothingOnceTheOldOneIsBack() throws IOException {
      cumulative(
          "0:100@-60 10:110@-60 15:10@12 20:120@-60 25:30@12 30:130@-60",
          "10=1 15=2 20=3 25=3 30=3",
          Map.of("counter_restart", 1, "overlapping_streams", 1));
    }

    @Test
    void anInstanceThatFallsSilentLeavesTheSum() throws IOException {
      cumulative(
          "0:0@-9000 5:0@-2000 10:10@-9000 15:20@-2000 20:20@-9000 30:30@-9000 40:40@-9000",
          "15=3 20=3 30=3 40=1",
          Map.of("overlapping_streams", 1));
    }

    @Test
    void aRolledOutVersionIsCountedTwiceForOneIntervalAtMost() throws IOException {
      cumulative(
          "0:0@-60 10:100@-60 20:200@-60 23:30@18 33:130@18 43:230@18",
          "10=10 20=10 23=16 33=20 43=10",
          Map.of("overlapping_streams", 1));
    }
  }

  /** Cumulative points as Prometheus has them. */
  @Nested
  class WithoutStart {
    @Test
    void aFallIsARestart() throws IOException {
      cumulative("0:900 30:960 40:20", "30=2 40=2", Map.of("counter_reset", 1));
    }

    @Test
    void aFallByHalfIsARestartAlsoBeforeARateIsKnown() throws IOException {
      cumulative("0:900 10:5 20:15", "10=0.5 20=1", Map.of("counter_reset", 1));
    }

    @Test
    void restartsInARowAreRestarts() throws IOException {
      cumulative(
          "0:100 10:200 20:90 30:190 40:80 50:180",
          "10=10 20=9 30=10 40=8 50=10",
          Map.of("counter_reset", 2));
    }

    @Test
    void noiseIsNoRestart() throws IOException {
      cumulative("0:50 10:100.0000001 20:100 30:110", "10=5 20=0 30=1", Map.of());
    }

    @Test
    void aClockThatStepsBackIsNoRestart() throws IOException {
      cumulative("0:100000 10:100020 20:100019 30:100060", "10=2 30=2", Map.of("step_back", 1));
    }

    /** As case counter-interleaved-instances, without its starts. */
    @Test
    void instancesAreToldApartByLevel() throws IOException {
      cumulative(
          "0:4210 5:3880 10:4220 15:3881 20:4230 25:3882 30:4240",
          "15=1.1 20=1.1 25=1.1 30=1.1",
          Map.of("counter_decrease", 1, "overlapping_streams", 1));
    }

    @Test
    void threeInstancesAreToldApartByLevel() throws IOException {
      cumulative(
          "0:900 3:500 6:700 10:910 13:505 16:701 20:920 23:510 26:702",
          "23=1.6 26=1.6",
          Map.of("counter_decrease", 2, "overlapping_streams", 2));
    }

    @Test
    void oneOfSeveralInstancesMayRestart() throws IOException {
      cumulative(
          "0:4210 5:3880 10:4220 15:3890 20:4230 25:5 30:4240 35:15",
          "15=2 20=2 25=1.5 30=1.5 35=2",
          Map.of("counter_decrease", 1, "overlapping_streams", 1, "counter_reset", 1));
    }

    /** Two scrapers that differ by a little: the growth is in the next rate. */
    @Test
    void aSecondScraperIsNoInstance() throws IOException {
      cumulative(
          "0:100 0.2:99 15:130 15.2:131 30:160 30.2:159 45:190",
          "15=2 30=2 45=2",
          Map.of("too_close", 3));
    }

    @Test
    void aSecondScraperHalfAnIntervalLaterIsWelcome() throws IOException {
      cumulative("0:100 5:110 10:120 15:130", "5=2 10=2 15=2", Map.of());
    }

    @Test
    void oneThatStartsHugeIsNoRate() throws IOException {
      cumulative("0:9e15 10:9e15", "10=0", Map.of());
    }
  }

  /** Cumulative points, with or without a start. */
  @Nested
  class EitherWay {
    /** As case counter-retry-duplicates. */
    @Test
    void repeatedPointsGiveNoRate() throws IOException {
      cumulative(
          "0:100@-60 10:120@-60 0:100@-60 10:120@-60 20:150@-60 10:120@-60 30:180@-60",
          "10=2 20=3 30=3",
          Map.of("duplicate", 1, "went_back", 2));
    }

    /** As case counter-no-recorded-value: the flagged point never arrives here. */
    @Test
    void aShortGapIsAveragedOver() throws IOException {
      cumulative("0:500@-60 10:530@-60 30:560@-60 40:590@-60", "10=3 30=1.5 40=3", Map.of());
    }

    @Test
    void afterALongGapTheSeriesBeginsAnew() throws IOException {
      cumulative("0:500 10:530 400:900 410:930", "10=3 410=3", Map.of("series_returned", 1));
    }

    @Test
    void aRestartWithinALongGapIsNoRateEither() throws IOException {
      cumulative(
          "0:500@-60 10:530@-60 400:24@390 410:54@390", "10=3 410=3", Map.of("series_returned", 1));
    }

    @Test
    void whatIsSentHourlyHasRates() throws IOException {
      cumulative(
          "0:0 3600:3600 7200:7200 10800:14400", "7200=1 10800=2", Map.of("series_returned", 1));
    }

    @Test
    void aNegativeCounterIsNoRate() throws IOException {
      cumulative("0:1 10:-5 20:3", "20=0.1", Map.of("negative_counter", 1));
    }

    @Test
    void zeroIsAValue() throws IOException {
      cumulative("0:0 10:0 20:5 30:0 40:0", "10=0 20=0.5 30=0 40=0", Map.of("counter_reset", 1));
    }
  }

  /** Points that say how much was added since their start. */
  @Nested
  class Deltas {
    @Test
    void growthIsDividedByItsOwnTime() throws IOException {
      delta("10:50@5 10:50@5 20:30@10 30:30", "10=10 20=3 30=3", Map.of("duplicate", 1));
    }

    @Test
    void aGapChangesNothing() throws IOException {
      delta("10:50@0.001 600:30@590", "10=5.0005 600=3", Map.of());
    }

    @Test
    void withoutAStartTheFirstIsNoRate() throws IOException {
      delta(
          "10:50 10:50 20:30 400:99 410:30",
          "20=3 410=3",
          Map.of("duplicate", 1, "series_returned", 1));
    }

    @Test
    void aPointWithoutLengthCountsFromTheOneBefore() throws IOException {
      delta("10:50@10 20:30@20", "20=3", Map.of());
    }

    @Test
    void aShortIntervalIsInTheNextRate() throws IOException {
      delta("10:50@5 10.1:3@10 20:27@10.1", "10=10 20=3", Map.of("too_close", 1));
    }

    @Test
    void intervalsThatOverlapAreInstances() throws IOException {
      delta(
          "10:10@1 15:50@5 20:10@10 25:50@15 30:10@20",
          "10=1.1111 15=6.1111 20=6 25=6 30=6",
          Map.of("overlapping_streams", 1));
    }

    @Test
    void anIntervalThatBeginsALittleEarlyIsNoOverlap() throws IOException {
      delta("10:10@1 20:10.5@9.5 30:10@20", "10=1.1111 20=1 30=1", Map.of());
    }

    @Test
    void anOlderPointIsNoRate() throws IOException {
      delta("10:10@1 20:10@10 10:10@1", "10=1.1111 20=1", Map.of("went_back", 1));
    }
  }
}
