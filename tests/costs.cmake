# The tests that take longest, with about the seconds that each takes on a quiet core. ctest starts them first, also in a
# build that has never run them, so that no long test is left to run alone at the end. The numbers decide nothing else,
# and a name that no test has does nothing.
set(TEST_COSTS
  CudaPrograms.AreRightInBothOrdersAndReplayed=58
  Pages.EveryCommandRuns=50
  BatchOnSlurm.ANodesDeathLosesNothingAfterResume=40
  CliTest.EveryFileThatIsShippedIsRight=39
  HostInstructions.OfABusySmAreTheSameOnALargeMachine=30
  ReportInABrowser.IsDrawnAndAsksForNothingElse=30
  EveryPartitioner=25
  SlurmClusters.LosesANodesTasksWhenItDies=25
  Consumer.BuildsAgainstTheInstalledPackage=22
  VerilatorBench.ArbitersStandBesideTheModelAndAMutantIsFoundInItsCycle=19
  CliTest.MutatedFilesAreCheckedWithoutHarm=18
  Kernels.PtxIsWhatClangMakes=16
  RtlRun.ABlockThatWasNotBuiltBeforeIsToldAndBuiltOnce=16
  ConfigHostile=15
  PaperPage.ShowsTheirsBesideOurs=14
  NvccTest.ItsProgramsAreCapturedHoweverTheirPtxIsPacked=13
  PapersInABrowser.AreDrawnAndAskForNothingElse=12
  CycleDeterminism.OfKernelsOfTwoContextsAtOnce=11
  RequestsTest.WaitAsLongAsInAQueueWithConstantServiceTimes=11
  HostInstructions.DoNotGrow_triad1m=10
  RequestsTest.WaitAsLongAsInAQueueWithExponentialServiceTimes=10
  RtlVerb.BuildPrintsTheLibraryOfTheUsersCache=10
  RtlVerb.NothingIsKeptWithoutACache=10
  RtlVerb.OptionsThatRunCommandsAreTheUsersToTrust=10
  ExtremeMachines.EveryRunEndsWithCountersThatCloseOrThePlatformIsRefused=9
  NvccTest.ItsProgramsWithTexturesAndStreamsAreCaptured=9
  Reproduce.APageIsDrawnFromWhatIsThere=9
  Seeds/RandomExperiments.EndOrAreRefusedAndLoseNothing/0=9
  Seeds/RandomExperiments.EndOrAreRefusedAndLoseNothing/2=9
  Seeds/RandomWorkloads.EndAndConserveKernelsBlocksBytesAndResources/3=9
  BatchOnSlurm.GivesTheResultsOfALocalCampaignAndTakesNoRunTwice=8
  Contexts.EveryKernelEndsAndCountersCloseUnderEveryPartitioner=8
  CruzContention.SlowsHs3DownTheMoreTrafficPflHas=8
  FlushPreemption.MemoryIsByteForByteThatOfAnUndisturbedRun=8
  HostInstructions.DoNotGrow_fma32=8
  ReportPage.LinksEveryNumberToItsRun=8
  ReportPlots.AreWrittenOfEveryKindInTheSameBytes=8
  BatchOnSlurm.WhatWaitsInTheQueueIsNotSubmittedAgain=7
  Bench.EveryCostIsShownBesideItsGoal=7
  CaptureTest.WhatNvccLinksIsCaptured=7
  HostInstructions.DoNotGrow_matrix_multiply_tiled=7
  Platforms.EveryOneRunsATrace=7
  PreemptionLevels.GrowWithTheLengthOfKernelsAsMeasured=7
  Reproduce.AWindowMakesRunsOfTheirOwn=7
  Reproduce.RunsAPapersCampaignsOnceAndWritesItsPage=7
  Reset.OfTimedSmsWithCopiesAndReplaysUnderEachPartitioner=7
  Seeds/RandomExperiments.EndOrAreRefusedAndLoseNothing/1=7
  Seeds/RandomExperiments.EndOrAreRefusedAndLoseNothing/3=7
  ReportSeries.ArePanelsOfPoints=6
)

set(script "")
foreach(cost IN LISTS TEST_COSTS)
  string(REGEX MATCH "^(.*)=(.*)$" cost ${cost})
  if(TEST ${CMAKE_MATCH_1})
    set_tests_properties(${CMAKE_MATCH_1} PROPERTIES COST ${CMAKE_MATCH_2})
  else()  # it is found when its program has been built
    string(APPEND script "set_tests_properties([=[${CMAKE_MATCH_1}]=] PROPERTIES COST ${CMAKE_MATCH_2})\n")
  endif()
endforeach()
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/costs.cmake "${script}")
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/costs.cmake)
